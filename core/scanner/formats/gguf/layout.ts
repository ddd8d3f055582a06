import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ByteSource } from "../../contract/source.ts";
import {
  checkTensorLayout,
  checkTrailingData,
  endOfTensors,
  type TensorExtent,
} from "../tensors/layout.ts";
import type { TensorInfo } from "./tensors.ts";

const ALIGNMENT = "GGUF Alignment";
const BOUNDS = "GGUF Tensor Bounds";
const LAYOUT = "GGUF Tensor Layout";
const TRAILING = "GGUF Trailing Data";

/** Checks that the tensors are aligned, within the file, and fill it up to its end. */
export class GgufLayout {
  readonly #source: ByteSource;
  readonly #checks: Checklist;

  constructor(source: ByteSource, checks: Checklist) {
    this.#source = source;
    this.#checks = checks;
  }

  /**
   * @param infosEnd Where the tensor infos end, in bytes.
   * @param alignment Bytes; undefined if the metadata has an invalid one.
   * @returns the bytes after the last tensor; undefined if there are none.
   */
  check(
    infos: readonly TensorInfo[],
    infosEnd: number,
    alignment: number | undefined,
  ): ByteSource | undefined {
    this.#checks.begin(ALIGNMENT, "The alignment is a power of two, and every tensor is aligned");
    if (alignment === undefined) {
      this.#checks.add(ALIGNMENT, {
        message: "The alignment is not a power of two, so tensors cannot be located",
        severity: "info",
        ruleCode: "S902",
        incomplete: "invalid_alignment",
      });
      return undefined;
    }
    const { size } = this.#source;
    const dataStart = Math.min(Math.ceil(infosEnd / alignment) * alignment, size);
    const extents = this.#locate(infos, alignment, size - dataStart);
    if (extents.length < infos.length) return undefined;
    checkTensorLayout(LAYOUT, extents, this.#checks);
    return checkTrailingData(
      TRAILING,
      this.#source,
      dataStart + endOfTensors(extents),
      this.#checks,
    );
  }

  /** The extents of those tensors that are within the data section. */
  #locate(infos: readonly TensorInfo[], alignment: number, dataBytes: number): TensorExtent[] {
    this.#checks.begin(BOUNDS, "Every tensor is within the file");
    const extents: TensorExtent[] = [];
    for (const info of infos) {
      const extent = extentOf(info, alignment, dataBytes);
      if (extent !== undefined) extents.push(extent);
      else if (info.byteSize !== undefined) this.#failBounds(info, dataBytes);
      if (info.offset % BigInt(alignment) !== 0n) this.#failAlignment(info, alignment);
    }
    return extents;
  }

  #failBounds({ name, offset, byteSize }: TensorInfo, dataBytes: number): void {
    this.#checks.add(BOUNDS, {
      message: `Tensor ${quotedExcerpt(name)} exceeds the data section: ` +
        `${byteSize} bytes at offset ${offset} of ${dataBytes}`,
      severity: "critical",
      ruleCode: "S904",
      details: { offset: `${offset}`, bytes: `${byteSize}`, data_size: dataBytes },
    });
  }

  #failAlignment({ name, offset }: TensorInfo, alignment: number): void {
    this.#checks.add(ALIGNMENT, {
      message: `Tensor ${
        quotedExcerpt(name)
      } at offset ${offset} is not aligned to ${alignment} bytes`,
      severity: "warning",
      ruleCode: "S902",
    });
  }
}

/**
 * The extent of a tensor, padding included; undefined if its size is unknown or it ends after the
 * `dataBytes` of the data section.
 */
function extentOf(
  info: TensorInfo,
  alignment: number,
  dataBytes: number,
): TensorExtent | undefined {
  if (info.byteSize === undefined) return undefined;
  const end = info.offset + info.byteSize;
  if (end > BigInt(dataBytes)) return undefined;
  const padded = Math.min(Math.ceil(Number(end) / alignment) * alignment, dataBytes);
  return { name: info.name, begin: Number(info.offset), end: padded };
}
