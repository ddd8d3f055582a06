/** A tensor that a file stores, as its header says. */
export interface ListedTensor {
  readonly name: string;
  /** The type of its elements, in the words of the format. */
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Of its elements, if that is known. */
  readonly bytes: number | null;
  /** The SHA-256 of its elements in lower-case hexadecimal; null if they could not be read. */
  readonly digest: string | null;
}

/** The tensors that a file stores. */
export interface TensorList {
  readonly format: string;
  /** The SHA-256 of the content that was read, in lower-case hexadecimal. */
  readonly sha256: string;
  /** Each tensor as a line of JSON: `[name, dtype, shape, bytes, digest]`. Names are unique. */
  readonly lines: string;
  /** Why tensors or digests are missing. */
  readonly problem?: string | undefined;
}

/** The files whose tensors can be listed, by their names, and the format that each name says. */
export const TENSOR_FILES = {
  safetensors: /\.safetensors$/i,
  gguf: /\.gguf$/i,
  onnx: /\.onnx$/i,
  numpy: /\.np[yz]$/i,
  hdf5: /\.(?:h5|hdf5)$/i,
  keras: /\.keras$/i,
  tflite: /\.tflite$/i,
  pytorch: /\.(?:pt|pth|ckpt)$|^(?:pytorch_|adapter_)?model[^/]*\.bin$/i,
} as const;

/** The format that the name of a file says, if its tensors can be listed. */
export function tensorFormatOf(name: string): keyof typeof TENSOR_FILES | undefined {
  return Object.entries(TENSOR_FILES)
    .find((entry): entry is [keyof typeof TENSOR_FILES, RegExp] => entry[1].test(name))?.[0];
}

/** The longest {@link TensorList.lines}. */
export const MAX_LIST_CHARS = 8 * 1024 * 1024;
/** The longest name of a tensor. */
export const MAX_TENSOR_NAME = 512;
/** The longest name of a type. */
export const MAX_DTYPE = 64;
/** The most dimensions of a tensor. */
export const MAX_DIMENSIONS = 64;

/** A tensor as a line, without its end. */
export function tensorLine({ name, dtype, shape, bytes, digest }: ListedTensor): string {
  return JSON.stringify([name, dtype, shape, bytes, digest]);
}

/**
 * Reads a line.
 *
 * @throws {Error} when it is not one that {@link tensorLine} writes.
 */
export function parseTensorLine(line: string): ListedTensor {
  const value: unknown = JSON.parse(line);
  const [name, dtype, shape, bytes, digest, ...rest]: readonly unknown[] = Array.isArray(value)
    ? value
    : [];
  const isListed = rest.length === 0 && isText(name, MAX_TENSOR_NAME) && isText(dtype, MAX_DTYPE) &&
    Array.isArray(shape) && shape.length <= MAX_DIMENSIONS && shape.every(isCount) &&
    (bytes === null || isCount(bytes)) && (digest === null || isDigest(digest));
  if (!isListed) throw new Error("A line of a list of tensors is invalid");
  return { name, dtype, shape, bytes, digest };
}

function isText(value: unknown, maxLength: number): value is string {
  return typeof value === "string" && value.length <= maxLength;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0;
}

function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
