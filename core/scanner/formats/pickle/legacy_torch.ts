import type { Signal } from "./findings.ts";
import type { StreamEnd } from "./stream.ts";

const MAGIC = 0x1950a86a20f9469cfc6cn;
const PROTOCOL = 1001;

/** Magic number, protocol, system, object, keys of the storages. */
const STREAMS = 5;

/** Follows the pickles of a file that PyTorch has written before 1.6, with storages behind them. */
export class LegacyTorch {
  #streams = 0;
  #magic: "right" | "called" | undefined;
  #matches = true;
  /** Whether the bytes of the storages come next. */
  atStorages = false;

  /** Takes a pickle into account; a signal where the magic number is none. */
  next({ result, machine }: StreamEnd): Signal | undefined {
    this.#streams++;
    this.atStorages = false;
    if (this.#streams === 1) this.#begin(result);
    if (this.#streams === 2) return this.#judgeMagic(result, machine.start);
    if (this.#streams === STREAMS && this.#matches) {
      this.atStorages = result.kind === "list" && result.items.length > 0;
    }
    return undefined;
  }

  #begin(result: StreamEnd["result"]): void {
    if (result.kind === "integer" && result.value === MAGIC) this.#magic = "right";
    else if (result.kind === "call" || result.kind === "unknown") this.#magic = "called";
    else this.#matches = false;
  }

  #judgeMagic(result: StreamEnd["result"], position: number): Signal | undefined {
    this.#matches &&= this.#magic === "right" && result.kind === "integer" &&
      result.value === PROTOCOL;
    if (this.#magic !== "called" || result.kind !== "integer" || result.value !== PROTOCOL) {
      return undefined;
    }
    return {
      name: "PyTorch Magic Number",
      severity: "critical",
      ruleCode: "S1101",
      message: "The magic number of PyTorch is made by a call instead of written down",
      why: "Scanners that look for the number do not see it, and the loader runs the call",
      position,
    };
  }
}
