import { stateExhaustion } from "./exhaustion.ts";
import type { ImportRecord } from "./findings.ts";
import type { Reach } from "./reach.ts";
import { markCalled } from "./uses.ts";
import { type Call, dictEntry, type PickleValue, PLAIN, type TextOf } from "./values.ts";

/** What is wrong with the shape of a state: what it is, and why that is bad if no other reason holds. */
export interface ShapeFault {
  readonly message: string;
  readonly why?: string;
}

const UNCHECKED =
  "Compiled code reads the items without a check, and memory beyond those that there are";

/** How a state is not as objects of its class get it, in which calls, crashes or endless loops result. */
export function shapeFault(
  target: Call,
  { use, path }: ImportRecord,
  state: PickleValue,
  { reach, textOf }: { readonly reach: Reach; readonly textOf: TextOf },
): ShapeFault | undefined {
  if (state.kind === "import") {
    return { message: `Gives ${path} ${state.record.path} as its state` };
  }
  const least = use?.stateItems ?? stateItemsOf(target.args[0]);
  if (least > 0 && (state.kind !== "tuple" || state.items.length < least)) {
    const message = `Gives ${path} a state that is not a tuple of ${least} items`;
    return { message, why: UNCHECKED };
  }
  if (path.startsWith("sklearn.")) {
    const version = dictEntry(state, VERSION_KEY, textOf) ?? PLAIN;
    if (version.kind !== "text" && version.kind !== "plain") {
      return { message: `Gives ${path} a version that is not text` };
    }
  }
  for (const key of use?.inertKeys ?? NO_KEYS) {
    const found = reach.searchOne(dictEntry(state, key, textOf) ?? PLAIN, markCalled);
    const held = found.suspect ?? found.callable;
    if (held !== undefined) return { message: `Gives ${path} ${held} under ${key}` };
  }
  const message = stateExhaustion(path, state);
  return message === undefined ? undefined : { message };
}

/** What estimators compare, and show in a warning: the version that wrote them. */
const VERSION_KEY = "_sklearn_version";
const NO_KEYS: readonly string[] = [];

/** Of the class that a function makes an object of. */
function stateItemsOf(made: PickleValue | undefined): number {
  return made?.kind === "import" ? made.record.use?.stateItems ?? 0 : 0;
}
