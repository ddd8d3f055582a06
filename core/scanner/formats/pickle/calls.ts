import { exhaustion } from "./exhaustion.ts";
import type { Signal } from "./findings.ts";
import { callUseSignals, markCalled, type UseContext } from "./uses.ts";
import type { PickleValue } from "./values.ts";

type CallSignal = Omit<Signal, "position">;

const CALLS_RESULT: CallSignal = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  message: "Calls the result of another call",
  why: "The called object is known only at load time",
};

const CALLS_PERSISTENT: CallSignal = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S212",
  message: "Calls an object supplied by the loader",
};

const CALLS_UNKNOWN: CallSignal = {
  name: "Pickle Call",
  severity: "critical",
  ruleCode: "S201",
  message: "Calls an object of unknown origin",
};

const EXHAUSTS: Omit<CallSignal, "message"> = {
  name: "Pickle Expansion",
  severity: "warning",
  ruleCode: "S214",
  why: "A few bytes of the pickle take all memory or never end",
};

/**
 * The signals that a call raises by what it calls, how, and with which arguments. Marks every import that
 * it calls or passes on as called.
 */
export function callSignals(
  callee: PickleValue,
  args: readonly PickleValue[],
  keywords: readonly PickleValue[],
  context: UseContext,
): readonly CallSignal[] {
  if (callee.kind === "import") {
    callee.record.called = true;
    const uses = callUseSignals(callee.record, args, keywords, context);
    const exhausts = exhaustion(callee.record.path, args, context.textOf);
    return exhausts === undefined ? uses : [...uses, { ...EXHAUSTS, message: exhausts }];
  }
  context.reach.search([callee, ...args, ...keywords], markCalled);
  switch (callee.kind) {
    case "call":
      return [CALLS_RESULT];
    case "persistent":
      return [CALLS_PERSISTENT];
    case "unknown":
      return [CALLS_UNKNOWN];
    default:
      return [];
  }
}
