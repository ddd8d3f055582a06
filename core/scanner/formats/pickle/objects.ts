import { isClassArgument } from "../../knowledge/python/uses.ts";
import { type Growth, type IsNotableKey, keptBytes } from "./containers.ts";
import { CALLABLE, hold, INERT, type Level, levelOf, levelOfAll, raise } from "./traits.ts";
import type { Call, PickleValue } from "./values.ts";

/** The most memory that an object takes, in bytes, besides its items. */
export const CALL_BYTES = 128;

/** The object that a call makes. */
export function callOf(callee: PickleValue, args: readonly PickleValue[]): Call {
  hold(args);
  return {
    kind: "call",
    callee,
    args,
    state: undefined,
    added: undefined,
    traits: levelMade(callee, args),
    expanded: 0,
  };
}

function levelMade(callee: PickleValue, args: readonly PickleValue[]): Level {
  const use = callee.kind === "import" ? callee.record.use : undefined;
  let level: Level = use?.makes === "callable"
    ? CALLABLE
    : callee.kind === "import"
    ? INERT
    : levelOf(callee);
  for (const [i, value] of args.entries()) {
    const own = levelOf(value);
    if (own > level && !isClassArgument(use, i)) level = own;
  }
  return level;
}

/** Whether an object is called like a function, as a partial is. */
export function makesCallable({ callee }: Call): boolean {
  return callee.kind === "import" && callee.record.use?.makes === "callable";
}

/** The parts of an object that its methods may use: not the class that it was made of. */
export function partsOfObject({ callee, args, state, added = [] }: Call): readonly PickleValue[] {
  const use = callee.kind === "import" ? callee.record.use : undefined;
  const held = args.filter((_, i) => !isClassArgument(use, i));
  const maker = callee.kind === "import" ? [] : [callee];
  return [...maker, ...held, ...state === undefined ? [] : [state], ...added];
}

/** Adds the items to an object that calls may find, and the keys that may be special attributes. */
export function addTo(
  target: Call,
  items: readonly PickleValue[],
  isNotableKey: IsNotableKey,
): Growth {
  const isLate = raise(target, levelOfAll(items));
  hold(items);
  const notable = items.filter((item, i) => isPart(item) || i % 2 === 0 && isNotableKey(item));
  if (notable.length === 0) return { bytes: 0, isLate };
  target.added ??= [];
  for (const item of notable) target.added.push(item);
  return { bytes: keptBytes(notable), isLate };
}

function isPart({ kind }: PickleValue): boolean {
  return kind !== "text" && kind !== "bytes" && kind !== "integer" && kind !== "plain";
}

/** Sets the state of an object. Returns whether its level changed although another value holds it. */
export function setState(target: Call, state: PickleValue): boolean {
  target.state = state;
  hold([state]);
  return raise(target, levelOf(state));
}
