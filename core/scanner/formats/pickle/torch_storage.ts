import type { PickleValue } from "./values.ts";

/** A storage that a pickle of PyTorch asks for by a persistent id. */
export interface TorchStorage {
  /** The name of the member that holds it, such as `0`. */
  readonly key: string;
  /** The class, such as `FloatStorage`. */
  readonly type: string;
  /** How many elements it is to have. */
  readonly elements: number;
}

/** The longest key that is kept account of, in bytes: keys are numbers. */
const MAX_KEY_BYTES = 64;

/** Bytes of an element, by the class of the storage without `Storage` at its end. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  Double: 8,
  Float: 4,
  Half: 2,
  BFloat16: 2,
  Long: 8,
  Int: 4,
  Short: 2,
  Char: 1,
  Byte: 1,
  Bool: 1,
  ComplexDouble: 16,
  ComplexFloat: 8,
  QInt8: 1,
  QUInt8: 1,
  QInt32: 4,
  QUInt4x2: 1,
  QUInt2x4: 1,
  Untyped: 1,
};

/** The bytes that a storage has by its reference; undefined where the class is not known. */
export function storageBytes({ type, elements }: TorchStorage): number | undefined {
  const bytes = Object.hasOwn(ELEMENT_BYTES, type.replace(/Storage$/, ""))
    ? ELEMENT_BYTES[type.replace(/Storage$/, "")]
    : undefined;
  return bytes === undefined ? undefined : bytes * elements;
}

/**
 * What a persistent id asks for, where it is one of a storage: a tuple of `storage`, the class, the key,
 * the device and the number of elements.
 */
export function torchStorageOf(
  id: PickleValue,
  textOf: (value: PickleValue) => string | undefined,
): TorchStorage | undefined {
  if (id.kind !== "tuple") return undefined;
  const [kind, type, keyText, , count] = id.items;
  if (kind === undefined || textOf(kind) !== "storage" || type?.kind !== "import") return undefined;
  const isKey = keyText !== undefined && "length" in keyText && keyText.length <= MAX_KEY_BYTES;
  const key = isKey ? textOf(keyText) : undefined;
  const elements = count?.kind === "integer" ? Number(count.value) : Number.NaN;
  if (key === undefined || !Number.isSafeInteger(elements) || elements < 0) return undefined;
  return { key, type: type.record.name, elements };
}
