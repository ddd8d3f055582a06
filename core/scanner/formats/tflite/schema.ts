/** Numbers of fields in the schema of TensorFlow Lite that are read. */
export const Model = {
  version: 0,
  operatorCodes: 1,
  subgraphs: 2,
  description: 3,
  buffers: 4,
  externalBufferGroups: 8,
} as const;

export const OperatorCode = { deprecatedBuiltin: 0, custom: 1, builtin: 3 } as const;

export const Subgraph = { tensors: 0, operators: 3 } as const;

export const Tensor = { shape: 0, type: 1, buffer: 2, name: 3 } as const;

export const DataBuffer = { data: 0, offset: 1, size: 2 } as const;

export const Operator = { code: 0, optionsOffset: 9, optionsSize: 10 } as const;

/** The builtin operator that stands for a custom one. */
export const CUSTOM = 32;

/** Element types by number. */
export const TYPES: readonly string[] = [
  "float32",
  "float16",
  "int32",
  "uint8",
  "int64",
  "string",
  "bool",
  "int16",
  "complex64",
  "int8",
  "float64",
  "complex128",
  "uint64",
  "resource",
  "variant",
  "uint32",
  "uint16",
  "int4",
  "bfloat16",
  "int2",
  "uint4",
];
