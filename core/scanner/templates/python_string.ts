import { PYTHON_ESCAPES } from "../readers/text/escapes.ts";

const ESCAPE =
  /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|N\{([^}]{1,80})\}|([^]))/g;

/** What a Python string literal stands for, given what is between its quotes. */
export function unescapePython(literal: string): string {
  return literal.replace(ESCAPE, (whole, x, u, long, octal, named, simple) => {
    const hex: unknown = x ?? u ?? long;
    if (typeof hex === "string") return codePoint(Number.parseInt(hex, 16));
    if (typeof octal === "string") return codePoint(Number.parseInt(octal, 8));
    if (typeof named === "string") return /^low line$/i.test(named) ? "_" : "\ufffd";
    return PYTHON_ESCAPES[String(simple)] ?? whole;
  });
}

function codePoint(value: number): string {
  return value <= 0x10ffff ? String.fromCodePoint(value) : "\ufffd";
}
