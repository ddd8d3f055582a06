import { exhaustion } from "./exhaustion.ts";
import type { Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
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

/** What a call is given: arguments, and those by name, of which every second one is the name. */
interface Given {
  readonly args: readonly PickleValue[];
  readonly keywords: readonly PickleValue[];
}

/**
 * The signals that a call raises by what it calls, how, and with which arguments. Marks every import that
 * it calls or passes on as called.
 */
export function callSignals(
  callee: PickleValue,
  { args, keywords }: Given,
  context: UseContext & { readonly opcode: OpcodeName },
): readonly CallSignal[] {
  if (callee.kind === "import") {
    callee.record.called = true;
    return [
      ...callUseSignals({ callee: callee.record, args, keywords }, context.opcode, context),
      ...exhaustionSignals(callee.record.path, [...args, ...keywords], context),
    ];
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

function exhaustionSignals(
  path: string,
  args: readonly PickleValue[],
  { textOf }: UseContext,
): CallSignal[] {
  const exhausts = exhaustion(path, args, textOf);
  return exhausts === undefined ? [] : [{ ...EXHAUSTS, message: exhausts }];
}
