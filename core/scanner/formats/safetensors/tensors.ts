import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { checkExtents, checkTensorName } from "../tensors/tensor_checks.ts";
import { lastEnd, type TensorExtent } from "../tensors/layout_faults.ts";
import { readEntry, type TensorEntry } from "./entry.ts";

const ENTRY = "Safetensors Tensor Entry";
const OFFSETS = "Safetensors Tensor Offsets";
const SIZE = "Safetensors Tensor Size";
const LAYOUT = "Safetensors Tensor Layout";
const NAME = "Safetensors Tensor Name";

/** Tensor names that an asset lists. */
const NAMES_LISTED = 10_000;
/** Characters of a name that an asset lists. */
const NAME_LISTED = 256;

/**
 * Checks the tensors of a header: their entries, sizes and places in `dataSize` bytes of data.
 *
 * @returns where the last tensor ends, in bytes from the start of the data.
 */
export function checkTensors(
  tensors: Readonly<Record<string, unknown>>,
  dataSize: number,
  context: ScanContext,
  checks: Checklist,
): number {
  begin(checks);
  const extents: TensorExtent[] = [];
  const sizes = new Map<string, number>();
  const names = Object.keys(tensors);
  for (const name of names) {
    const entry = checkEntry(name, tensors[name], checks);
    if (entry === undefined) continue;
    const extent = extentOf(name, entry, dataSize);
    if (extent === undefined) failOffsets(name, entry, dataSize, checks);
    else extents.push(extent);
    sizes.set(entry.dtype, (sizes.get(entry.dtype) ?? 0) + Number(entry.elements));
  }
  checkExtents(LAYOUT, extents, checks);
  tell(names, sizes, context);
  return lastEnd(extents);
}

function begin(checks: Checklist): void {
  checks.begin(ENTRY, "Every tensor has a known type, a shape and offsets");
  checks.begin(OFFSETS, "Every tensor lies within the file");
  checks.begin(SIZE, "Every tensor is as long as its type and shape say");
}

function checkEntry(name: string, value: unknown, checks: Checklist): TensorEntry | undefined {
  const shown = excerpt(name);
  checkTensorName(NAME, name, checks);
  const entry = readEntry(value);
  if (typeof entry === "string") {
    const overflow = entry.includes("overflows");
    const message = `The tensor "${shown}" has ${entry}`;
    const ruleCode = overflow ? "S804" : "S902";
    checks.add(ENTRY, { message, severity: overflow ? "critical" : "warning", ruleCode });
    return undefined;
  }
  checkSize(shown, entry, checks);
  return entry;
}

function checkSize(shown: string, entry: TensorEntry, checks: Checklist): void {
  const unexpected = entry.unexpected[0];
  if (unexpected !== undefined) {
    const message = `The tensor "${shown}" has an unexpected key ${quotedExcerpt(unexpected)}`;
    checks.add(ENTRY, { message, severity: "info", ruleCode: "S902" });
  }
  if (!entry.known) {
    const message = `The tensor "${shown}" has the unknown type ${quotedExcerpt(entry.dtype)}`;
    checks.add(ENTRY, { message, severity: "info", ruleCode: "S902", incomplete: "unknown_dtype" });
    return;
  }
  const found = entry.end - entry.begin;
  if (found === entry.byteSize || found < 0n) return;
  checks.add(SIZE, {
    message: `The tensor "${shown}" has ${found} bytes, its type and shape call for ${
      entry.byteSize ?? "a part of a byte"
    }`,
    severity: "critical",
    ruleCode: "S904",
    details: { dtype: entry.dtype, elements: `${entry.elements}` },
  });
}

function failOffsets(name: string, entry: TensorEntry, dataSize: number, checks: Checklist): void {
  const { begin, end } = entry;
  checks.add(OFFSETS, {
    message: `The tensor ${quotedExcerpt(name)} is at ${begin} to ${end} of ${dataSize} bytes`,
    severity: "critical",
    ruleCode: "S904",
    details: { begin: `${begin}`, end: `${end}`, data_size: dataSize },
  });
}

/** The place of a tensor, or undefined where it is not within the data. */
function extentOf(name: string, entry: TensorEntry, dataSize: number): TensorExtent | undefined {
  if (entry.end < entry.begin || entry.end > BigInt(dataSize)) return undefined;
  return { name, begin: Number(entry.begin), end: Number(entry.end) };
}

function tell(
  names: readonly string[],
  sizes: ReadonlyMap<string, number>,
  context: ScanContext,
): void {
  const parameters = [...sizes.values()].reduce((sum, count) => sum + count, 0);
  const precision = [...sizes].sort((a, b) => b[1] - a[1])[0]?.[0];
  context.addAssetParts({
    tensors: names.slice(0, NAMES_LISTED).map((name) => name.slice(0, NAME_LISTED)),
  });
  context.addMetadata({
    tensor_count: names.length,
    is_model: names.length > 0,
    ml_context: {
      frameworks: {
        safetensors: { name: "safetensors", confidence: 1, indicators: ["safetensors header"] },
      },
      overall_confidence: 1,
      is_ml_content: true,
      ...Number.isSafeInteger(parameters) ? { parameter_count_estimate: parameters } : {},
      ...precision === undefined ? {} : { precision_type: excerpt(precision) },
    },
  });
}
