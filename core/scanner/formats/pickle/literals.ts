import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { PYTHON_ESCAPES } from "../../readers/text/escapes.ts";

/** The codec of a string in a pickle, by its Python name. */
export type TextCodec = "utf8" | "latin1" | "string_escape" | "unicode_escape";

/** Longer integer literals are valid, but their value is not computed. */
const MAX_INTEGER_CHARACTERS = 1000;

const INTEGER =
  /^[+-]?(?:0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*|[0-9]+(?:_[0-9]+)*)$/;

const INDEX = /^\+?[0-9]+(?:_[0-9]+)*$/;

const FLOAT =
  /^[+-]?(?:inf(?:inity)?|nan|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[+-]?[0-9]+)?)$/i;

/**
 * Parses an integer literal in base 0: an optional prefix `0x`, `0o` or `0b`, underscores between
 * digits and surrounding white space. A leading 0 means octal, as in the C unpickler.
 *
 * @returns the value, Infinity if the literal is too long to evaluate, or undefined if it is invalid.
 */
export function parseIntegerText(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed)) return undefined;
  if (trimmed.length > MAX_INTEGER_CHARACTERS) return Infinity;
  const negative = trimmed.startsWith("-");
  const digits = trimmed.replace(/^[+-]/, "").replaceAll("_", "");
  const octal = /^0[0-7]+$/.test(digits);
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  return narrowed(negative ? -value : value);
}

/** Parses a decimal memo index. Returns undefined if it is invalid or negative. */
export function parseIndexText(text: string): number | undefined {
  const trimmed = text.trim();
  return INDEX.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}

/** Returns 0 for a valid float literal, whose value is never used, or undefined if it is invalid. */
export function parseFloatText(text: string): number | undefined {
  return FLOAT.test(text.trim()) ? 0 : undefined;
}

/** Decodes a little-endian two's complement integer of any length. */
export function decodeInteger(bytes: Uint8Array): number | bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return narrowed(BigInt.asIntN(bytes.length * 8, value));
}

function narrowed(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes the bytes of a string. Malformed UTF-8 becomes U+FFFD; invalid escapes stay as they are. */
export function decodeText(bytes: Uint8Array, codec: TextCodec): string {
  switch (codec) {
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
      return codec satisfies never;
  }
}
