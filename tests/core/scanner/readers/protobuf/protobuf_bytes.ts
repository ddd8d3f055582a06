import { Buffer } from "node:buffer";

/** The content of a message or field: text, bytes, or encoded fields. */
export type Content = string | Uint8Array;

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

/** A varint field. */
export function int(number: number, value: number | bigint): Uint8Array {
  return message(varint(number << 3), varint(value));
}

/** A length-delimited field. */
export function bytes(number: number, ...content: Content[]): Uint8Array {
  const inner = message(...content);
  return message(varint((number << 3) | 2), varint(inner.length), inner);
}

/** Joins fields into a message. */
export function message(...parts: Content[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
}
