import type { PickleValue, TextOf } from "./values.ts";

/** A tensor storage that a PyTorch pickle references by a persistent id. */
export interface TorchStorage {
  /** The name of its archive member, such as `0`. */
  readonly key: string;
  /** Its class, such as `FloatStorage`. */
  readonly type: string;
  readonly elements: number;
}

/** Storages with longer keys are ignored: PyTorch uses numbers. */
const MAX_KEY_BYTES = 64;

/** Bytes of an element, by storage class without its suffix `Storage`. */
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

/** The size in bytes that a reference declares, or undefined if the storage class is unknown. */
export function storageBytes({ type, elements }: TorchStorage): number | undefined {
  const bytes = Object.hasOwn(ELEMENT_BYTES, type.replace(/Storage$/, ""))
    ? ELEMENT_BYTES[type.replace(/Storage$/, "")]
    : undefined;
  return bytes === undefined ? undefined : bytes * elements;
}

/** Element types by storage class without its suffix `Storage`, in the spelling of NumPy. */
const ELEMENT_TYPES: Readonly<Record<string, string>> = {
  Double: "float64",
  Float: "float32",
  Half: "float16",
  BFloat16: "bfloat16",
  Long: "int64",
  Int: "int32",
  Short: "int16",
  Char: "int8",
  Byte: "uint8",
  Bool: "bool",
  ComplexDouble: "complex128",
  ComplexFloat: "complex64",
  QInt8: "qint8",
  QUInt8: "quint8",
  QInt32: "qint32",
};

/** The element type of a storage, or its class if the class is unknown. */
export function storageType({ type }: TorchStorage): string {
  const name = type.replace(/Storage$/, "");
  return Object.hasOwn(ELEMENT_TYPES, name) ? ELEMENT_TYPES[name] ?? name : name;
}

/**
 * Parses the persistent id of a storage, a tuple of `storage`, class, key, device and number of
 * elements. Returns undefined for any other id.
 */
export function torchStorageOf(id: PickleValue, textOf: TextOf): TorchStorage | undefined {
  if (id.kind !== "tuple") return undefined;
  const [kind, type, keyText, , count] = id.items;
  if (kind === undefined || textOf(kind) !== "storage" || type?.kind !== "import") return undefined;
  const isKey = keyText !== undefined && "length" in keyText && keyText.length <= MAX_KEY_BYTES;
  const key = isKey ? textOf(keyText) : undefined;
  const elements = count?.kind === "integer" ? Number(count.value) : Number.NaN;
  if (key === undefined || !Number.isSafeInteger(elements) || elements < 0) return undefined;
  return { key, type: type.record.name, elements };
}
