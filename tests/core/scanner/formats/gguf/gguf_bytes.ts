import type { ByteSource } from "../../../../../core/scanner/contract/source.ts";
import { concatBytes } from "../../../../../core/scanner/readers/bytes/bytes.ts";
import { ggufScanner } from "../../../../../core/scanner/formats/gguf/scanner.ts";
import { scan } from "../format_scan.ts";

export const scanFile = (content: Uint8Array | ByteSource) =>
  scan(ggufScanner, content, { name: "model.gguf" });

/** The version and byte order of a file. Version 1 has counts of 4 bytes. */
export interface Form {
  readonly version: number;
  readonly little: boolean;
}

export const V3: Form = { version: 3, little: true };

export function num(
  size: 1 | 2 | 4 | 8,
  value: number | bigint,
  { little }: Form = V3,
): Uint8Array {
  const view = new DataView(new ArrayBuffer(size));
  if (size === 8) view.setBigUint64(0, BigInt(value), little);
  else if (size === 4) view.setUint32(0, Number(value), little);
  else if (size === 2) view.setUint16(0, Number(value), little);
  else view.setUint8(0, Number(value));
  return new Uint8Array(view.buffer);
}

/** A count or length in the width of the version. */
export function count(value: number | bigint, form: Form = V3): Uint8Array {
  return num(form.version === 1 ? 4 : 8, value, form);
}

/** Joins bytes and strings in UTF-8. */
export function bytesOf(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const encoder = new TextEncoder();
  return concatBytes(parts.map((part) => typeof part === "string" ? encoder.encode(part) : part));
}

export function text(value: string, form: Form = V3): Uint8Array {
  return bytesOf(count(new TextEncoder().encode(value).length, form), value);
}

/** A metadata entry. */
export function entry(key: string, type: number, value: Uint8Array, form: Form = V3): Uint8Array {
  return bytesOf(text(key, form), num(4, type, form), value);
}

/** A tensor info. */
export function tensor(
  name: string,
  dimensions: readonly (number | bigint)[],
  type: number,
  offset: number | bigint,
  form: Form = V3,
): Uint8Array {
  return bytesOf(
    text(name, form),
    num(4, dimensions.length, form),
    ...dimensions.map((dimension) => count(dimension, form)),
    num(4, type, form),
    num(8, offset, form),
  );
}

interface Parts {
  readonly entries?: readonly Uint8Array[];
  readonly tensors?: readonly Uint8Array[];
  /** Bytes of the data section. */
  readonly data?: number;
  readonly alignment?: number;
  readonly form?: Form;
}

export function file({ entries = [], tensors = [], data = 0, alignment = 32, form = V3 }: Parts) {
  const head = bytesOf(
    "GGUF",
    num(4, form.version, form),
    count(tensors.length, form),
    count(entries.length, form),
    ...entries,
    ...tensors,
  );
  const padding = (alignment - head.length % alignment) % alignment;
  return bytesOf(head, new Uint8Array(padding + data));
}

/** The value of an array that contains `depth` levels of arrays. */
export function nested(depth: number): Uint8Array {
  return bytesOf(
    ...Array.from({ length: depth }, () => bytesOf(num(4, 9), num(8, 1))),
    num(4, 0),
    num(8, 0),
  );
}
