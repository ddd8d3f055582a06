import { viewOf } from "../../readers/bytes/bytes.ts";

/** How numbers with a fraction are stored. */
export interface Encoding {
  /** Bytes from one number to the next. Of blocks of quantized numbers, only the scale is read. */
  readonly stride: number;
  /** Where the number is within them. */
  readonly offset: number;
  /** Reads `count` numbers from bytes that start with a block. */
  decode(bytes: Uint8Array, count: number, into: Float32Array): void;
}

/** The bytes where a typed array of this element size can start, copied only if it cannot. */
function aligned(bytes: Uint8Array, size: number): Uint8Array {
  return bytes.byteOffset % size === 0 ? bytes : bytes.slice();
}

const FLOAT32: Encoding = {
  stride: 4,
  offset: 0,
  decode(bytes, count, into) {
    const { buffer, byteOffset } = aligned(bytes, 4);
    into.set(new Float32Array(buffer, byteOffset, count));
  },
};

const FLOAT64: Encoding = {
  stride: 8,
  offset: 0,
  decode(bytes, count, into) {
    const { buffer, byteOffset } = aligned(bytes, 8);
    into.set(new Float64Array(buffer, byteOffset, count));
  },
};

const BFLOAT16: Encoding = {
  stride: 2,
  offset: 0,
  decode(bytes, count, into) {
    const { buffer, byteOffset } = aligned(bytes, 2);
    const halves = new Uint16Array(buffer, byteOffset, count);
    const words = new Uint32Array(into.buffer, into.byteOffset, count);
    for (let index = 0; index < count; index++) words[index] = (halves[index] ?? 0) << 16;
  },
};

const FLOAT16: Encoding = {
  stride: 2,
  offset: 0,
  decode(bytes, count, into) {
    const { buffer, byteOffset } = aligned(bytes, 2);
    into.set(new Float16Array(buffer, byteOffset, count));
  },
};

/** Blocks whose scale is a number of 16 bits. */
function scaled(stride: number, offset = 0): Encoding {
  return {
    stride,
    offset,
    decode(bytes, count, into) {
      const view = viewOf(bytes);
      for (let index = 0; index < count; index++) {
        into[index] = view.getFloat16(index * stride + offset, true);
      }
    },
  };
}

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ...["F32", "float32", "Float", "f4"].map((type) => [type, FLOAT32] as const),
  ...["F64", "float64", "Double", "f8"].map((type) => [type, FLOAT64] as const),
  ...["F16", "float16", "Half", "f2"].map((type) => [type, FLOAT16] as const),
  ...["BF16", "bfloat16", "BFloat16"].map((type) => [type, BFLOAT16] as const),
  ["Q4_0", scaled(18)],
  ["Q4_1", scaled(20)],
  ["Q5_0", scaled(22)],
  ["Q5_1", scaled(24)],
  ["Q8_0", scaled(34)],
  ["Q2_K", scaled(84, 80)],
  ["Q3_K", scaled(110, 108)],
  ["Q4_K", scaled(144)],
  ["Q5_K", scaled(176)],
  ["Q6_K", scaled(210, 208)],
  ["IQ2_XXS", scaled(66)],
  ["IQ2_XS", scaled(74)],
  ["IQ3_XXS", scaled(98)],
  ["IQ1_S", scaled(50)],
  ["IQ4_NL", scaled(18)],
  ["IQ3_S", scaled(110)],
  ["IQ2_S", scaled(82)],
  ["IQ4_XS", scaled(136)],
]);

/** How a type is stored, in the spelling of any format; undefined if it has no fractions. */
export function encodingOf(type: string): Encoding | undefined {
  return ENCODINGS.get(type);
}
