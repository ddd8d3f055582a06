/** Digits that are turned into a value; a longer number is a number, but of unknown value. */
const MAX_DIGITS = 1000;

const INTEGER =
  /^[+-]?(?:0[xX]_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO]_?[0-7]+(?:_[0-7]+)*|0[bB]_?[01]+(?:_[01]+)*|[0-9]+(?:_[0-9]+)*)$/;

const INDEX = /^\+?[0-9]+(?:_[0-9]+)*$/;

const FLOAT =
  /^[+-]?(?:inf(?:inity)?|nan|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:e[+-]?[0-9]+)?)$/i;

/**
 * The value of an integer as text in base 0: with a prefix `0x`, `0o` or `0b`, a leading 0 for octal
 * as the C unpickler has it, underscores and white space around. Undefined where it is none.
 */
export function parseIntegerText(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (!INTEGER.test(trimmed)) return undefined;
  if (trimmed.length > MAX_DIGITS) return Infinity;
  const negative = trimmed.startsWith("-");
  const digits = trimmed.replace(/^[+-]/, "").replaceAll("_", "");
  const octal = /^0[0-7]+$/.test(digits);
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits);
  return narrowed(negative ? -value : value);
}

/** The value of an index of the memo in decimals, without a sign; undefined where it is none. */
export function parseIndexText(text: string): number | undefined {
  const trimmed = text.trim();
  return INDEX.test(trimmed) ? Number(trimmed.replaceAll("_", "")) : undefined;
}

/** 0 for a float as text, whose value nobody needs; undefined where it is none. */
export function parseFloatText(text: string): number | undefined {
  return FLOAT.test(text.trim()) ? 0 : undefined;
}

/** The value of an integer in two's complement, little-endian. */
export function integerOf(bytes: Uint8Array): number | bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i] ?? 0);
  return narrowed(BigInt.asIntN(bytes.length * 8, value));
}

function narrowed(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
