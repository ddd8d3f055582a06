import { isClassArgument } from "../../knowledge/python/uses.ts";
import { type Growth, type IsNotableKey, keptBytes } from "./containers.ts";
import { CALLABLE, hold, INERT, type Level, levelOf, OWNED, raise } from "./traits.ts";
import type { Call, PickleValue } from "./values.ts";

/** The most memory that an object takes, in bytes, besides its items. */
export const CALL_BYTES = 112;

/** The object that a call makes. */
export function callOf(callee: PickleValue, args: PickleValue[]): Call {
  return {
    kind: "call",
    callee,
    args,
    state: undefined,
    traits: levelMade(callee, args),
    expanded: 0,
  };
}

function levelMade(callee: PickleValue, args: readonly PickleValue[]): Level {
  const use = callee.kind === "import" ? callee.record.use : undefined;
  const all = hold(args);
  if (use?.makes === "callable") return all === INERT ? CALLABLE : all;
  let level: Level = callee.kind === "import" ? INERT : levelOf(callee);
  if (all <= level) return level;
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
export function partsOfObject({ callee, args, state }: Call): readonly PickleValue[] {
  const use = callee.kind === "import" ? callee.record.use : undefined;
  const held = args.filter((_, i) => !isClassArgument(use, i));
  const maker = callee.kind === "import" ? [] : [callee];
  return state === undefined ? [...maker, ...held] : [...maker, ...held, state];
}

/** Adds the items to an object that calls may find, and the keys that may be special attributes. */
export function addTo(
  target: Call,
  items: readonly PickleValue[],
  isNotableKey: IsNotableKey,
): Growth {
  const isLate = raise(target, hold(items));
  if (!items.some((item, i) => isPart(item) || i % 2 === 0 && isNotableKey(item))) {
    return isLate ? LATE : NO_GROWTH;
  }
  const notable = items.filter((item, i) => isPart(item) || i % 2 === 0 && isNotableKey(item));
  // Its arguments are those of a tuple, which other calls may get as well.
  if ((target.traits & OWNED) === 0) target.args = [...target.args];
  target.traits |= OWNED;
  for (const item of notable) target.args.push(item);
  return { bytes: keptBytes(notable), isLate };
}

const NO_GROWTH: Growth = { bytes: 0, isLate: false };
const LATE: Growth = { bytes: 0, isLate: true };

function isPart({ kind }: PickleValue): boolean {
  return kind !== "text" && kind !== "bytes" && kind !== "integer" && kind !== "plain";
}

/** Sets the state of an object. */
export function setState(target: Call, state: PickleValue): Growth {
  target.state = state;
  return raise(target, hold([state])) ? LATE : NO_GROWTH;
}
