import { isObject } from "../../../../schemas/json.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { LocatedTensor, LocatedTensors } from "../tensors/located_tensor.ts";
import { readEntry } from "./entry.ts";
import { readHeader, readHeaderBounds } from "./header.ts";

const FORMAT = "safetensors";

/** Where the tensors of a safetensors file are. */
export function locateSafetensors(source: ByteSource): LocatedTensors {
  const bounds = readHeaderBounds(source);
  if ("reason" in bounds) return { format: FORMAT, tensors: [], problem: bounds.message };
  const header = readHeader(source, bounds);
  if ("reason" in header) return { format: FORMAT, tensors: [], problem: header.message };
  const entries = isObject(header.value) ? Object.entries(header.value) : [];
  const tensors: LocatedTensor[] = [];
  let problem = header.duplicateKeys.length > 0 ? "Keys of the header are repeated" : undefined;
  for (const [name, value] of entries) {
    if (name === "__metadata__") continue;
    const entry = readEntry(value);
    if ("problem" in entry) {
      problem ??= `A tensor has ${entry.problem}`;
      continue;
    }
    const { dtype, shape, begin, end } = entry;
    const isInside = begin <= end && end <= BigInt(bounds.dataSize);
    tensors.push({
      name,
      dtype,
      shape: shape.map(Number),
      bytes: isInside ? Number(end - begin) : null,
      elements: isInside
        ? { begin: bounds.dataStart + Number(begin), end: bounds.dataStart + Number(end) }
        : undefined,
    });
  }
  return { format: FORMAT, tensors, problem };
}
