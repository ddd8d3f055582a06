import type { Signal } from "./findings.ts";
import type { PickleValue } from "./values.ts";

/** The most memory that an object without its state takes here, in bytes. */
const OBJECT_BYTES = 64;

const USES_INCOMPLETE: Omit<Signal, "position"> = {
  name: "Pickle Use",
  severity: "warning",
  ruleCode: "S207",
  message: "Uses an array of pandas before it has its state",
  why: "Compiled code follows what the array lacks, which ends the interpreter",
};

/** Objects that have no state yet, of classes whose compiled code needs it. Real files set the state at once. */
export class IncompleteObjects {
  readonly #objects = new Set<PickleValue>();

  /** Takes a value that a call made. Returns the bytes that it takes. */
  add(value: PickleValue): number {
    if (value.kind !== "call" || value.callee.kind !== "import") return 0;
    const [made, , state] = value.args;
    const { use } = value.callee.record;
    const isMade = use?.needsState === true && value.args.length === 0;
    const isRebuilt = made?.kind === "import" && made.record.use?.needsState === true &&
      (state === undefined || state.kind === "plain");
    if (!isMade && !isRebuilt) return 0;
    this.#objects.add(value);
    return OBJECT_BYTES;
  }

  /** Notes that an object got its state. */
  complete(value: PickleValue): void {
    this.#objects.delete(value);
  }

  /** The signal of a use of values, if one of them has no state yet. */
  signalOf(values: readonly PickleValue[]): Omit<Signal, "position"> | undefined {
    if (this.#objects.size === 0) return undefined;
    return values.some((value) => this.#objects.has(value)) ? USES_INCOMPLETE : undefined;
  }
}
