import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { PYTHON_ESCAPES } from "../../readers/text/escapes.ts";
import type { PickleValue, Text } from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** The longest text that is read as one; what matters is shorter by far. */
const MAX_TEXT_BYTES = 4096;

/** The longest text that is kept once it was read: a pickle may have a million. */
const MAX_KEPT_BYTES = 64;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The characters of a text, or of bytes as Latin-1; undefined for other values and long texts. */
export function textOf(value: PickleValue, window: PickleWindow): string | undefined {
  if (value.kind === "built") return value.text;
  if (value.kind === "bytes") return decoded(value.from, value.length, "latin1", window);
  if (value.kind !== "text") return undefined;
  if (value.text !== undefined) return value.text;
  const text = decoded(value.from, value.length, value.form, window);
  if (value.length <= MAX_KEPT_BYTES) value.text = text;
  return text;
}

function decoded(
  from: number,
  length: number,
  form: Text["form"],
  window: PickleWindow,
): string | undefined {
  return length > MAX_TEXT_BYTES ? undefined : decodeText(window.bytes(from, length), form);
}

/** The characters that bytes stand for. */
export function decodeText(bytes: Uint8Array, form: Text["form"]): string {
  switch (form) {
    case "utf8":
      return utf8.decode(bytes);
    case "latin1":
      return decodeLatin1(bytes);
    case "string_escape":
      return decodeLatin1(bytes).replace(
        /\\(?:x([0-9a-fA-F]{2})|([0-7]{1,3})|([\n\\'"abfnrtv]))/g,
        (whole, hex?: string, octal?: string, letter?: string) =>
          hex !== undefined
            ? String.fromCharCode(parseInt(hex, 16))
            : octal !== undefined
            ? String.fromCharCode(parseInt(octal, 8) & 0xff)
            : PYTHON_ESCAPES[letter ?? ""] ?? whole,
      );
    case "unicode_escape":
      return decodeLatin1(bytes).replace(
        /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|\\)/g,
        (whole, short?: string, long?: string) => {
          const code = parseInt(short ?? long ?? "", 16);
          return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
        },
      );
    default:
      return form satisfies never;
  }
}

/** A value out of a pickle, short enough to be shown. */
export function shown(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 97)}...` : text;
  return JSON.stringify(short).slice(1, -1);
}
