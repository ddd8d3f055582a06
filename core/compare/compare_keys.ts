import type { KeyChange } from "../../schemas/compare.ts";
import { isObject } from "../../schemas/json.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";

/** The longest value that is reported, as JSON. */
const MAX_VALUE = 1000;
/** The longest name of a key that is reported. */
const MAX_KEY = 500;
/** Values that are compared between two looks at the clock. */
const VALUES_AT_ONCE = 1000;

/** What is different between values of JSON. */
export interface KeysDifference {
  readonly keys: readonly KeyChange[];
  /** How many different keys are not reported. */
  readonly leftOut: number;
}

/** Two values at the same key. */
interface Pair {
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The value of a key that is not there. */
const MISSING = Symbol("missing");

/**
 * Compares two values of JSON, key by key, in the order of the former. What is inside of something that is only in one
 * of them is not reported on its own.
 *
 * @param maxKeys The most keys that are reported.
 */
export async function compareKeys(
  from: unknown,
  to: unknown,
  maxKeys: number,
): Promise<KeysDifference> {
  const keys: KeyChange[] = [];
  let different = 0;
  let untimed = 0;
  // The next one last.
  const pairs: Pair[] = [{ key: "", from, to }];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (++untimed === VALUES_AT_ONCE) {
      untimed = 0;
      if (isTurnOver()) await takeTurn();
    }
    const inner = innerOf(pair);
    if (inner !== undefined) {
      for (const it of inner.reverse()) pairs.push(it);
    } else if (pair.from !== pair.to) {
      different++;
      if (keys.length < maxKeys) keys.push(changeOf(pair));
    }
  }
  return { keys, leftOut: different - keys.length };
}

/** What is inside of two objects, or two arrays. Undefined if they are not of a kind. */
function innerOf({ key, from, to }: Pair): Pair[] | undefined {
  if (Array.isArray(from) && Array.isArray(to)) {
    return Array.from(
      { length: Math.max(from.length, to.length) },
      (_, index) => ({
        key: `${key}[${index}]`,
        from: index < from.length ? from[index] : MISSING,
        to: index < to.length ? to[index] : MISSING,
      }),
    );
  }
  if (!isObject(from) || !isObject(to)) return undefined;
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].map((name) => ({
    key: joined(key, name),
    from: Object.hasOwn(from, name) ? from[name] : MISSING,
    to: Object.hasOwn(to, name) ? to[name] : MISSING,
  }));
}

function joined(key: string, name: string): string {
  if (key.length > MAX_KEY) return key;
  const shown = cut(name, MAX_KEY);
  if (!/^[\w$-]+$/.test(shown)) return `${key}[${JSON.stringify(shown)}]`;
  return key === "" ? shown : `${key}.${shown}`;
}

function changeOf({ key, from, to }: Pair): KeyChange {
  return {
    key: cut(key, MAX_KEY),
    action: from === MISSING ? "added" : to === MISSING ? "removed" : "changed",
    from: from === MISSING ? null : cut(JSON.stringify(from), MAX_VALUE),
    to: to === MISSING ? null : cut(JSON.stringify(to), MAX_VALUE),
  };
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
