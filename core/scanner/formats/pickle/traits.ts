import { CALLABLE, INERT, type Level, SUSPECT } from "./level.ts";
import { type Call, type Container, hasParts, type PickleValue } from "./values.ts";

export { CALLABLE, INERT, type Level, SUSPECT } from "./level.ts";

// The traits of a container or call are bits: two for the level of what was put in it, and these.
const LEVELS = 3;
/** Another value holds it. */
const HELD = 4;
/** Items that may change were not kept. */
export const LOST = 8;
/** Its arguments are in an array of its own. */
export const OWNED = 32;
/** It is a part of an object. */
export const STORED = 16;
/** Its keys were checked, and it got none since. */
const CHECKED = 64;

/** The level of a value, but for what was put into a value that it holds later. */
export function levelOf(value: PickleValue): Level {
  switch (value.kind) {
    case "import":
      return value.record.level;
    case "unknown":
      return SUSPECT;
    case "call":
    case "tuple":
    case "list":
    case "set":
    case "dict":
      return asLevel(value.traits & LEVELS);
    default:
      return INERT;
  }
}

/** The highest level of values. */
export function levelOfAll(values: readonly PickleValue[]): Level {
  let level: Level = INERT;
  for (const value of values) {
    const own = levelOf(value);
    if (own > level) level = own;
  }
  return level;
}

function asLevel(bits: number): Level {
  return bits === INERT ? INERT : bits === CALLABLE ? CALLABLE : SUSPECT;
}

/** Whether the keys of a dict must be checked. They are checked once, and again when it got more. */
export function check(dict: Container): boolean {
  const isNew = (dict.traits & CHECKED) === 0;
  dict.traits |= CHECKED;
  return isNew;
}

/** Raises the level of a value. Returns whether that changed it although another value holds it. */
export function raise(target: Container | Call, level: Level): boolean {
  target.traits &= ~CHECKED;
  if (level <= (target.traits & LEVELS)) return false;
  target.traits = target.traits & ~LEVELS | level;
  return (target.traits & HELD) !== 0;
}

/** Whether a value had items that may change and were not kept. */
export function hasLost({ traits }: Container | Call): boolean {
  return (traits & LOST) !== 0;
}

/** Whether a value is a part of an object. */
export function isStored({ traits }: Container | Call): boolean {
  return (traits & STORED) !== 0;
}

/** Marks values as held by another one. Returns their highest level. */
export function hold(values: readonly PickleValue[]): Level {
  let level: Level = INERT;
  for (const value of values) {
    if (isConstant(value)) continue;
    if (hasParts(value)) value.traits |= HELD;
    const own = levelOf(value);
    if (own > level) level = own;
  }
  return level;
}

/** Whether a value is one of those that most items are, in which nothing can be reached. */
function isConstant({ kind }: PickleValue): boolean {
  return kind === "text" || kind === "integer" || kind === "plain" || kind === "bytes";
}

/** Whether a value has parts that could be changed later. */
export function mayChange(value: PickleValue): boolean {
  if (!hasParts(value)) return false;
  return value.kind !== "tuple" || value.items.some(hasParts);
}
