import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { checkTensorName } from "../tensors/names.ts";
import { type GgufReader, UnreadableError } from "./reader.ts";

const NAMES = "GGUF Tensor Names";
const SHAPES = "GGUF Tensor Shapes";

/** Tensor infos that are read. */
const MAX_TENSORS = 100_000;
/** Bytes of the smallest tensor info of version 1: name length, dimensions, type and offset. */
const MIN_INFO_BYTES = 20n;
/** More dimensions are reported as a warning; ggml supports 4. */
const MAX_USUAL_DIMENSIONS = 8;
/** More dimensions are an attack on the reader. */
const MAX_DIMENSIONS = 1000;
/** Elements of one tensor: more overflow the 64-bit integers of ggml. */
const MAX_ELEMENTS = 2n ** 63n - 1n;

/** A tensor info. */
export interface TensorInfo {
  readonly name: string;
  /** Its dimensions, as the file has them: the one that changes fastest comes first. */
  readonly shape: readonly bigint[];
  readonly elements: bigint;
  readonly type: string;
  readonly offset: bigint;
  /** Bytes of its data; undefined if type and shape do not give a size. */
  readonly byteSize: bigint | undefined;
}

/** Reads and checks the tensor infos, which follow the metadata. */
export class GgufTensors {
  readonly infos: TensorInfo[] = [];
  readonly #names = new Set<string>();
  readonly #reader: GgufReader;
  readonly #checks: Checklist;

  constructor(reader: GgufReader, checks: Checklist) {
    this.#reader = reader;
    this.#checks = checks;
  }

  /**
   * Reads and checks `count` tensor infos.
   *
   * @throws {UnreadableError} when a tensor info is truncated or exceeds a limit.
   */
  read(count: bigint): void {
    this.#checks.begin(NAMES, "Tensor names are unique and do not look like paths or code");
    this.#checks.begin(SHAPES, "Every tensor has a known type and a shape that fits it");
    if (count * MIN_INFO_BYTES > BigInt(this.#reader.cursor.bytesLeft)) {
      throw new UnreadableError("truncated", `${count} tensor infos do not fit in the file`);
    }
    for (let index = 0; index < Number(count); index++) {
      if (index === MAX_TENSORS) {
        const message = `Too many tensors: ${count} (limit ${MAX_TENSORS})`;
        throw new UnreadableError("too_many_tensors", message, true);
      }
      this.infos.push(this.#readInfo());
    }
  }

  #readInfo(): TensorInfo {
    const name = this.#readName();
    const dimensions = this.#readDimensions(name);
    const type = this.#reader.cursor.u32();
    const offset = this.#reader.cursor.u64();
    const elements = dimensions.reduce((product, dimension) => product * dimension, 1n);
    const byteSize = this.#byteSize(name, dimensions[0] ?? 1n, elements, type);
    const typeName = GGML_TYPES.get(type)?.name ?? `${type}`;
    return { name, shape: dimensions, elements, type: typeName, offset, byteSize };
  }

  #readName(): string {
    const name = this.#reader.text().text.slice(0, 256);
    checkTensorName(NAMES, name, this.#checks);
    if (this.#names.has(name)) {
      const message = `Duplicate tensor name ${quotedExcerpt(name)}`;
      this.#checks.add(NAMES, { message, severity: "warning", ruleCode: "S902" });
    }
    this.#names.add(name);
    return name;
  }

  #readDimensions(name: string): readonly bigint[] {
    const count = this.#reader.cursor.u32();
    if (count > MAX_USUAL_DIMENSIONS) {
      this.#checks.add(SHAPES, {
        message: `Tensor ${quotedExcerpt(name)} has ${count} dimensions`,
        severity: count > MAX_DIMENSIONS ? "critical" : "warning",
        ruleCode: "S804",
      });
    }
    if (count > MAX_DIMENSIONS) {
      throw new UnreadableError("too_many_dimensions", `A tensor has ${count} dimensions`);
    }
    return Array.from({ length: count }, () => this.#reader.count());
  }

  /** @param row Elements of the first dimension, which are stored in whole blocks. */
  #byteSize(name: string, row: bigint, elements: bigint, id: number): bigint | undefined {
    const shown = excerpt(name);
    const type = GGML_TYPES.get(id);
    if (elements > MAX_ELEMENTS) {
      const message = `The shape of tensor "${shown}" overflows 64 bits`;
      this.#checks.add(SHAPES, { message, severity: "critical", ruleCode: "S804" });
      return undefined;
    }
    if (type === undefined) {
      const message = `Tensor "${shown}" has unknown type ${id}`;
      this.#checks.add(SHAPES, { message, severity: "info", incomplete: "unknown_tensor_type" });
      return undefined;
    }
    const block = BigInt(type.block);
    if (row % block === 0n) return elements / block * BigInt(type.bytes);
    const message = `Rows of tensor "${shown}" are not a multiple of ${block} elements`;
    this.#checks.add(SHAPES, { message, severity: "warning", ruleCode: "S804" });
    return undefined;
  }
}

/** How a ggml type is stored: `bytes` hold a block of `block` elements. */
interface GgmlType {
  readonly name: string;
  readonly block: number;
  readonly bytes: number;
}

type Row = readonly [id: number, name: string, block: number, bytes: number];

const ROWS: readonly Row[] = [
  [0, "F32", 1, 4],
  [1, "F16", 1, 2],
  [2, "Q4_0", 32, 18],
  [3, "Q4_1", 32, 20],
  [6, "Q5_0", 32, 22],
  [7, "Q5_1", 32, 24],
  [8, "Q8_0", 32, 34],
  [9, "Q8_1", 32, 36],
  [10, "Q2_K", 256, 84],
  [11, "Q3_K", 256, 110],
  [12, "Q4_K", 256, 144],
  [13, "Q5_K", 256, 176],
  [14, "Q6_K", 256, 210],
  [15, "Q8_K", 256, 292],
  [16, "IQ2_XXS", 256, 66],
  [17, "IQ2_XS", 256, 74],
  [18, "IQ3_XXS", 256, 98],
  [19, "IQ1_S", 256, 50],
  [20, "IQ4_NL", 32, 18],
  [21, "IQ3_S", 256, 110],
  [22, "IQ2_S", 256, 82],
  [23, "IQ4_XS", 256, 136],
  [24, "I8", 1, 1],
  [25, "I16", 1, 2],
  [26, "I32", 1, 4],
  [27, "I64", 1, 8],
  [28, "F64", 1, 8],
  [29, "IQ1_M", 256, 56],
  [30, "BF16", 1, 2],
  [31, "Q4_0_4_4", 32, 18],
  [32, "Q4_0_4_8", 32, 18],
  [33, "Q4_0_8_8", 32, 18],
  [34, "TQ1_0", 256, 54],
  [35, "TQ2_0", 256, 66],
  [36, "IQ4_NL_4_4", 32, 18],
  [37, "IQ4_NL_4_8", 32, 18],
  [38, "IQ4_NL_8_8", 32, 18],
  [39, "MXFP4", 32, 17],
  [40, "NVFP4", 64, 36],
  [41, "Q1_0", 128, 18],
];

const GGML_TYPES: ReadonlyMap<number, GgmlType> = new Map(
  ROWS.map(([id, name, block, bytes]) => [id, { name, block, bytes }]),
);
