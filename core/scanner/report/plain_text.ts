import type { Severity } from "../contract/scanner.ts";

const COLOURS: Readonly<Record<Severity, number>> = {
  critical: 31,
  warning: 33,
  info: 36,
  debug: 90,
};
const ESCAPE = "\x1b[";

/** Marks a text for its severity. */
export type Style = (severity: Severity, text: string) => string;

/** A style that uses the colours of a terminal, or none. */
export function styleOf(color: boolean): Style {
  return (severity, text) => color ? `${ESCAPE}1;${COLOURS[severity]}m${text}${ESCAPE}0m` : text;
}

/** A text without what steers a terminal or turns the order of letters: that is spelled out. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (it) => `\\u{${it.codePointAt(0)?.toString(16)}}`,
  );
}

/** A text in lines of at most `width` columns, each after `indent`. Longer words stay whole. */
export function indented(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text).split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

/** Such as `1 file` or `1,200 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
