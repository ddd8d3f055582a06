import { Buffer } from "node:buffer";

/** A message's content: text, bytes, or fields that have been put together. */
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

/** A field of a number. */
export function int(number: number, value: number | bigint): Uint8Array {
  return message(varint(number << 3), varint(value));
}

/** A field of a text, of bytes, or of a message. */
export function bytes(number: number, ...content: Content[]): Uint8Array {
  const inner = message(...content);
  return message(varint((number << 3) | 2), varint(inner.length), inner);
}

/** Fields one after another. */
export function message(...parts: Content[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part))));
}
