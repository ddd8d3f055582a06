import type { Signal } from "./findings.ts";
import type { StreamEnd } from "./stream.ts";

const MAGIC = 0x1950a86a20f9469cfc6cn;
const PROTOCOL = 1001;

/** Streams of a file: magic number, protocol, system, object, storage keys. */
const STREAM_COUNT = 5;

/** Follows the streams of a file in the format of PyTorch before 1.6, where storages come last. */
export class LegacyTorch {
  #streams = 0;
  #magic: "valid" | "computed" | undefined;
  #matches = true;
  /** Whether the data of the storages comes next. */
  atStorages = false;

  /** Advances past a stream. Returns a signal if a call computes the magic number. */
  advance({ result, machine }: StreamEnd): Signal | undefined {
    this.#streams++;
    this.atStorages = false;
    if (this.#streams === 1) this.#classifyMagic(result);
    if (this.#streams === 2) return this.#checkMagic(result, machine.start);
    if (this.#streams === STREAM_COUNT && this.#matches) {
      this.atStorages = result.kind === "list" && result.items.length > 0;
    }
    return undefined;
  }

  #classifyMagic(result: StreamEnd["result"]): void {
    if (result.kind === "integer" && result.value === MAGIC) this.#magic = "valid";
    else if (result.kind === "call" || result.kind === "unknown") this.#magic = "computed";
    else this.#matches = false;
  }

  #checkMagic(result: StreamEnd["result"], position: number): Signal | undefined {
    this.#matches &&= this.#magic === "valid" && result.kind === "integer" &&
      result.value === PROTOCOL;
    if (this.#magic !== "computed" || result.kind !== "integer" || result.value !== PROTOCOL) {
      return undefined;
    }
    return {
      name: "PyTorch Magic Number",
      severity: "critical",
      ruleCode: "S1101",
      message: "The PyTorch magic number is computed by a call",
      why: "Scanners that look for the number miss it, and the loader runs the call",
      position,
    };
  }
}
