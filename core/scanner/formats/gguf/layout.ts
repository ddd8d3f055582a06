import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { checkExtents } from "../tensors/tensor_checks.ts";
import { lastEnd, type TensorExtent } from "../tensors/layout_faults.ts";
import type { GgufMetadata } from "./metadata.ts";
import { extentOf, type GgufTensors, type TensorInfo } from "./tensors.ts";

const ALIGNMENT = "GGUF Alignment";
const BOUNDS = "GGUF Tensor Bounds";
const LAYOUT = "GGUF Tensor Layout";
const TRAILING = "GGUF Trailing Data";

/** A file, and where its tensor infos end. */
interface Placed {
  readonly source: ByteSource;
  readonly infosEnd: number;
}

/** Checks where the tensors lie in the file, and that they are all that it holds. */
export function checkLayout(
  { source, infosEnd }: Placed,
  { alignment }: GgufMetadata,
  { infos }: GgufTensors,
  context: ScanContext,
  checks: Checklist,
): void {
  checks.begin(ALIGNMENT, "The alignment is a power of two, which every tensor keeps");
  if (alignment === undefined) {
    return checks.add(ALIGNMENT, {
      message: "The alignment is no power of two, so that the tensors can't be found",
      severity: "info",
      ruleCode: "S902",
      incomplete: "invalid_alignment",
    });
  }
  const dataStart = Math.min(Math.ceil(infosEnd / alignment) * alignment, source.size);
  const dataSize = source.size - dataStart;
  const extents = placeAll(infos, alignment, dataSize, checks);
  if (extents.length < infos.length) return;
  checkExtents(LAYOUT, extents, checks);
  checkTrailing(source, dataStart + lastEnd(extents), context, checks);
}

function placeAll(
  infos: readonly TensorInfo[],
  alignment: number,
  dataSize: number,
  checks: Checklist,
): TensorExtent[] {
  checks.begin(BOUNDS, "Every tensor lies within the file");
  const extents: TensorExtent[] = [];
  for (const info of infos) {
    const extent = extentOf(info, alignment, dataSize);
    if (extent !== undefined) extents.push(extent);
    else if (info.byteSize !== undefined) failBounds(info, dataSize, checks);
    if (info.offset % BigInt(alignment) !== 0n) failAlignment(info, alignment, checks);
  }
  return extents;
}

function failBounds(info: TensorInfo, dataSize: number, checks: Checklist): void {
  const { name, offset, byteSize } = info;
  checks.add(BOUNDS, {
    message: `The tensor ${quotedExcerpt(name)} has ${byteSize} bytes at ${offset} of ${dataSize}`,
    severity: "critical",
    ruleCode: "S904",
    details: { offset: `${offset}`, bytes: `${byteSize}`, data_size: dataSize },
  });
}

function failAlignment({ name, offset }: TensorInfo, alignment: number, checks: Checklist): void {
  const message = `The tensor ${quotedExcerpt(name)} is at ${offset}, no multiple of ${alignment}`;
  checks.add(ALIGNMENT, { message, severity: "warning", ruleCode: "S902" });
}

function checkTrailing(
  source: ByteSource,
  end: number,
  context: ScanContext,
  checks: Checklist,
): void {
  checks.begin(TRAILING, "The file ends with the last tensor");
  const bytes = source.size - end;
  if (bytes === 0) return;
  checks.add(TRAILING, {
    message: `${bytes} bytes follow the last tensor`,
    severity: "warning",
    position: end,
    ruleCode: "S908",
    details: { bytes },
  });
  context.scanMember("trailing data", sourceSlice(source, end, bytes));
}
