import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import { pathEscape } from "../../knowledge/file_reference.ts";
import type { NamedFinding } from "../../contract/checklist.ts";
import { byteSizeOf, type Tensor } from "./tensor.ts";

export const EXTERNAL_DATA = "ONNX External Data";
export const TENSOR_SIZE = "ONNX Tensor Size";

/**
 * A location that ONNX Runtime uses for data in its own memory, with the address as the offset. A
 * model that contains it makes the runtime use arbitrary memory as a tensor.
 */
const MEMORY_ADDRESS = "_ORT_MEM_ADDR_";

/** Checks the size of a tensor against its shape, and the location of its external data. */
export function checkTensor(tensor: Tensor, position: number): readonly NamedFinding[] {
  const check = new TensorCheck(tensor, position);
  check.checkSize();
  check.checkExternalData();
  return check.findings;
}

class TensorCheck {
  readonly findings: NamedFinding[] = [];
  readonly #tensor: Tensor;
  readonly #position: number;

  constructor(tensor: Tensor, position: number) {
    this.#tensor = tensor;
    this.#position = position;
  }

  get #label(): string {
    return quotedExcerpt(this.#tensor.name);
  }

  checkSize(): void {
    const { elements, rawBytes, segment } = this.#tensor;
    if (elements === undefined) {
      return this.#failSize(`Tensor ${this.#label} has a negative dimension`);
    }
    const expected = byteSizeOf(this.#tensor);
    if (expected === undefined || rawBytes === undefined || segment) return;
    if (BigInt(rawBytes) === expected) return;
    this.#failSize(`Tensor ${this.#label} has ${rawBytes} bytes; its shape requires ${expected}`);
  }

  checkExternalData(): void {
    const { external, externalData, moreExternalData } = this.#tensor;
    const locations = externalData.filter(([key]) => key === "location");
    // Protobuf merges a message that occurs twice. One part can set the location and another can mark
    // the tensor as external, so every location is checked.
    for (const [, path] of locations) this.#checkLocation(path);
    if (moreExternalData) {
      this.#warn(`Tensor ${this.#label} has too many external data entries`);
    }
    if (!external) return;
    if (!locations.some(([, path]) => path !== "")) {
      this.#warn(`External tensor ${this.#label} has no location`);
    }
    this.#checkRange();
  }

  #checkLocation(path: string): void {
    const danger = path.includes(MEMORY_ADDRESS) ? "an address in memory" : pathEscape(path);
    if (danger === undefined) return;
    this.findings.push({
      name: EXTERNAL_DATA,
      severity: "critical",
      message: `Tensor ${this.#label} loads its data from ${danger}: ${quotedExcerpt(path)}`,
      position: this.#position,
      ruleCode: "S405",
      why: "A loader that follows the location reads files outside the model's folder",
      details: { tensor: excerpt(this.#tensor.name), location: excerpt(path) },
    });
  }

  #checkRange(): void {
    const expected = byteSizeOf(this.#tensor);
    for (const [key, value] of this.#tensor.externalData) {
      if (key !== "offset" && key !== "length") continue;
      if (!/^\d{1,19}$/.test(value)) {
        const shown = quotedExcerpt(value);
        this.#warn(`External tensor ${this.#label} has a ${key} that is not a number: ${shown}`);
      } else if (key === "length" && expected !== undefined && BigInt(value) < expected) {
        this.#warn(
          `External tensor ${this.#label} has ${value} bytes; its shape requires ${expected}`,
        );
      }
    }
  }

  #failSize(message: string): void {
    const position = this.#position;
    this.findings.push({
      name: TENSOR_SIZE,
      severity: "warning",
      message,
      position,
      ruleCode: "S804",
    });
  }

  #warn(message: string): void {
    const position = this.#position;
    this.findings.push({
      name: EXTERNAL_DATA,
      severity: "warning",
      message,
      position,
      ruleCode: "S1104",
    });
  }
}
