import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { leadsOut } from "../../knowledge/file_reference.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { bytesOf, type Tensor } from "./tensor.ts";

export const EXTERNAL_DATA = "ONNX External Data";
export const TENSOR_SIZE = "ONNX Tensor Size";

/** What is wrong with a tensor: where its data lies, and whether its size is that of its dimensions. */
export function* checkTensor(
  tensor: Tensor,
  position: number,
): Generator<NamedFinding, void, void> {
  yield* checkSize(tensor, position);
  const location = tensor.externalData.filter(([key]) => key === "location");
  // The parts of a message that comes twice are put together: what one says is external may be named
  // by the other, so that a location counts whether the tensor says that it is external or not.
  for (const [, path] of location) yield* checkLocation(path, tensor, position);
  if (tensor.moreExternalData) {
    yield external("warning", `Tensor ${labelOf(tensor)} names its file over and over`, position);
  }
  if (!tensor.external) return;
  if (!location.some(([, path]) => path !== "")) {
    yield external("warning", `Tensor ${labelOf(tensor)} is in a file that has no name`, position);
  }
  yield* checkRange(tensor, position);
}

/**
 * The location with which ONNX Runtime marks that the offset is an address in its own memory; a file
 * that says so makes it read, and use as a tensor, whatever lies there.
 */
const MEMORY_ADDRESS = "_ORT_MEM_ADDR_";

function* checkLocation(
  path: string,
  tensor: Tensor,
  position: number,
): Generator<NamedFinding, void, void> {
  const danger = path.includes(MEMORY_ADDRESS) ? "an address in memory" : leadsOut(path);
  if (danger === undefined) return;
  yield {
    ...external(
      "critical",
      `Data of ${labelOf(tensor)} is ${danger}: ${quotedExcerpt(path)}`,
      position,
    ),
    ruleCode: "S405",
    why: "A loader that follows it reads files outside of the folder of the model",
    details: { tensor: excerpt(tensor.name), location: excerpt(path) },
  };
}

function* checkRange(tensor: Tensor, position: number): Generator<NamedFinding, void, void> {
  const needed = bytesOf(tensor);
  for (const [key, value] of tensor.externalData) {
    if (key !== "offset" && key !== "length") continue;
    if (!/^\d{1,19}$/.test(value)) {
      const message = `The ${key} of the data of ${labelOf(tensor)} is no number: ${
        quotedExcerpt(value)
      }`;
      yield external("warning", message, position);
    } else if (key === "length" && needed !== undefined && BigInt(value) < needed) {
      const message = `Tensor ${labelOf(tensor)} needs ${needed} bytes, its data has ${value}`;
      yield external("warning", message, position);
    }
  }
}

function external(
  severity: "warning" | "critical",
  message: string,
  position: number,
): NamedFinding {
  return { name: EXTERNAL_DATA, severity, message, position, ruleCode: "S1104" };
}

function* checkSize(tensor: Tensor, position: number): Generator<NamedFinding, void, void> {
  const finding = { name: TENSOR_SIZE, severity: "warning", position, ruleCode: "S804" } as const;
  if (tensor.elements === undefined) {
    yield { ...finding, message: `Tensor ${labelOf(tensor)} has a negative dimension` };
    return;
  }
  const needed = bytesOf(tensor);
  const { rawBytes, segment } = tensor;
  if (needed === undefined || rawBytes === undefined || segment) return;
  if (BigInt(rawBytes) === needed) return;
  const message = `Tensor ${labelOf(tensor)} needs ${needed} bytes, and has ${rawBytes}`;
  yield { ...finding, message };
}

function labelOf({ name }: Tensor): string {
  return quotedExcerpt(name);
}
