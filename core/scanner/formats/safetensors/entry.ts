import { isObject } from "../../../../schemas/json.ts";

/** Bits per element of each type of the format. */
const DTYPE_BITS: ReadonlyMap<string, number> = new Map([
  ["BOOL", 8],
  ["F4", 4],
  ["F6_E2M3", 6],
  ["F6_E3M2", 6],
  ["U8", 8],
  ["I8", 8],
  ["F8_E5M2", 8],
  ["F8_E4M3", 8],
  ["F8_E8M0", 8],
  ["F8_E4M3FNUZ", 8],
  ["F8_E5M2FNUZ", 8],
  ["I16", 16],
  ["U16", 16],
  ["F16", 16],
  ["BF16", 16],
  ["I32", 32],
  ["U32", 32],
  ["F32", 32],
  ["I64", 64],
  ["U64", 64],
  ["F64", 64],
  ["C64", 64],
]);

const ENTRY_KEYS: ReadonlySet<string> = new Set(["dtype", "shape", "data_offsets"]);
const UINT64_LIMIT = 2n ** 64n;

/** The header entry of a tensor. */
export interface TensorEntry {
  readonly dtype: string;
  readonly shape: readonly bigint[];
  readonly elements: bigint;
  readonly begin: bigint;
  readonly end: bigint;
  /** Bytes by type and shape; undefined if the type is unknown or they fill no whole bytes. */
  readonly byteSize: bigint | undefined;
  /** Whether the format defines the type. */
  readonly known: boolean;
  /** Keys that the format does not define. */
  readonly unexpected: readonly string[];
}

/** Why a value is not a tensor entry. */
export interface InvalidEntry {
  /** The problem as a noun phrase, such as `no shape of whole numbers`. */
  readonly problem: string;
  /** Whether the shape overflows 64 bits. */
  readonly overflows: boolean;
}

/** Reads the header entry of one tensor. */
export function readEntry(value: unknown): TensorEntry | InvalidEntry {
  if (!isObject(value)) return invalid("an entry that is not an object");
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string") return invalid("no dtype");
  const dimensions = wholeNumbers(shape);
  if (dimensions === undefined) return invalid("no shape of whole numbers");
  const [begin, end, ...rest] = wholeNumbers(offsets) ?? [];
  if (begin === undefined || end === undefined || rest.length > 0) {
    return invalid("no pair of offsets");
  }
  const elements = product(dimensions);
  if (elements === undefined) return invalid("a shape that overflows 64 bits", true);
  const bits = DTYPE_BITS.get(dtype);
  const unexpected = Object.keys(value).filter((key) => !ENTRY_KEYS.has(key));
  const byteSize = bits === undefined ? undefined : wholeBytes(elements, bits);
  return {
    ...{ dtype, shape: dimensions, elements, begin, end, byteSize, unexpected },
    known: bits !== undefined,
  };
}

function invalid(problem: string, overflows = false): InvalidEntry {
  return { problem, overflows };
}

function wholeBytes(elements: bigint, bits: number): bigint | undefined {
  const total = elements * BigInt(bits);
  return total % 8n === 0n ? total / 8n : undefined;
}

function wholeNumbers(value: unknown): bigint[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const numbers: bigint[] = [];
  for (const item of value) {
    const number = wholeNumber(item);
    if (number === undefined) return undefined;
    numbers.push(number);
  }
  return numbers;
}

function wholeNumber(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value >= 0n && value < UINT64_LIMIT ? value : undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return undefined;
  return BigInt(value);
}

function product(dimensions: readonly bigint[]): bigint | undefined {
  if (dimensions.includes(0n)) return 0n;
  let elements = 1n;
  for (const dimension of dimensions) {
    elements *= dimension;
    if (elements >= UINT64_LIMIT) return undefined;
  }
  return elements;
}
