/** The types of values in the metadata of a GGUF file. */
export const VALUE_TYPES = [
  "u8",
  "i8",
  "u16",
  "i16",
  "u32",
  "i32",
  "f32",
  "bool",
  "string",
  "array",
  "u64",
  "i64",
  "f64",
] as const;

export type ValueType = typeof VALUE_TYPES[number];

/** Bytes of a value, but of those that have a length of their own. */
export const FIXED_SIZES: Readonly<Record<Exclude<ValueType, "string" | "array">, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 1,
  u64: 8,
  i64: 8,
  f64: 8,
};
