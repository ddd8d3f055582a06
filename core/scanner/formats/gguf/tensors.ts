import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { checkTensorName } from "../tensors/tensor_checks.ts";
import type { TensorExtent } from "../tensors/layout_faults.ts";
import { ggmlType } from "./ggml_type.ts";
import { type GgufReader, UnreadableError } from "./gguf_reader.ts";

const NAMES = "GGUF Tensor Names";
const SHAPES = "GGUF Tensor Shapes";

/** Tensors that are read. */
const TENSORS = 100_000;
/** Bytes of the smallest tensor info of version 1: name length, dimensions, type and offset. */
const INFO_SIZE = 20n;
/** Dimensions beyond which a file is odd, and beyond which it is an attack on its reader. */
const ODD_DIMENSIONS = 8;
const DIMENSIONS = 1000;
const LARGEST = 2n ** 63n;

/** What a tensor info says, as far as it makes sense. */
export interface TensorInfo {
  readonly name: string;
  readonly elements: bigint;
  readonly type: string;
  readonly offset: bigint;
  /** Bytes of its data; undefined where they can't be known. */
  readonly byteSize: bigint | undefined;
}

/** Reads the tensor infos, which follow the metadata. */
export class GgufTensors {
  readonly infos: TensorInfo[] = [];
  readonly #names = new Set<string>();
  readonly #checks: Checklist;

  constructor(checks: Checklist) {
    this.#checks = checks;
  }

  /** @throws {TruncatedError | UnreadableError} where it can't read on. */
  read(reader: GgufReader, count: bigint): void {
    this.#checks.begin(NAMES, "Every tensor has a name of its own");
    this.#checks.begin(SHAPES, "Every tensor has a known type and a shape of that type");
    if (count * INFO_SIZE > BigInt(reader.cursor.left)) {
      throw new UnreadableError("truncated", `${count} tensors exceed the file`);
    }
    for (let index = 0; index < Number(count); index++) {
      if (index === TENSORS) {
        throw new UnreadableError("too_many_tensors", `${count} tensors`, true);
      }
      this.infos.push(this.#info(reader));
    }
  }

  #info(reader: GgufReader): TensorInfo {
    const name = this.#name(reader);
    const dimensions = this.#dimensions(reader, name);
    const type = reader.cursor.u32();
    const offset = reader.cursor.u64();
    const elements = dimensions.reduce((product, dimension) => product * dimension, 1n);
    const byteSize = this.#byteSize(name, dimensions[0] ?? 1n, elements, type);
    return { name, elements, type: ggmlType(type)?.name ?? `${type}`, offset, byteSize };
  }

  #name(reader: GgufReader): string {
    const name = reader.text().text.slice(0, 256);
    checkTensorName(NAMES, name, this.#checks);
    if (this.#names.has(name)) {
      const message = `The tensor name ${quotedExcerpt(name)} occurs twice`;
      this.#checks.add(NAMES, { message, severity: "warning", ruleCode: "S902" });
    }
    this.#names.add(name);
    return name;
  }

  #dimensions(reader: GgufReader, name: string): readonly bigint[] {
    const count = reader.cursor.u32();
    if (count > ODD_DIMENSIONS) {
      this.#checks.add(SHAPES, {
        message: `The tensor ${quotedExcerpt(name)} has ${count} dimensions`,
        severity: count > DIMENSIONS ? "critical" : "warning",
        ruleCode: "S804",
      });
    }
    if (count > DIMENSIONS) {
      throw new UnreadableError("too_many_dimensions", `A tensor has ${count} dimensions`);
    }
    return Array.from({ length: count }, () => reader.count());
  }

  #byteSize(name: string, row: bigint, elements: bigint, id: number): bigint | undefined {
    const shown = excerpt(name);
    const type = ggmlType(id);
    if (elements >= LARGEST) {
      const message = `The shape of the tensor "${shown}" overflows`;
      this.#checks.add(SHAPES, { message, severity: "critical", ruleCode: "S804" });
      return undefined;
    }
    if (type === undefined) {
      const message = `The tensor "${shown}" has the unknown type ${id}`;
      this.#checks.add(SHAPES, { message, severity: "info", incomplete: "unknown_tensor_type" });
      return undefined;
    }
    const block = BigInt(type.block);
    if (row % block === 0n) return elements / block * BigInt(type.bytes);
    const message = `A row of the tensor "${shown}" is no multiple of ${block} elements`;
    this.#checks.add(SHAPES, { message, severity: "warning", ruleCode: "S804" });
    return undefined;
  }
}

/** The place of a tensor in `dataSize` bytes, padding included; undefined where it has none. */
export function extentOf(
  info: TensorInfo,
  alignment: number,
  dataSize: number,
): TensorExtent | undefined {
  if (info.byteSize === undefined) return undefined;
  const end = info.offset + info.byteSize;
  if (end > BigInt(dataSize)) return undefined;
  const padded = Math.min(Math.ceil(Number(end) / alignment) * alignment, dataSize);
  return { name: info.name, begin: Number(info.offset), end: padded };
}
