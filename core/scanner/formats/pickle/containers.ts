import { hold, INERT, levelOf, LOST, mayChange, raise } from "./traits.ts";
import { type Container, isSmall, type PickleValue, PLAIN } from "./values.ts";

/** Items that are kept of one container, besides those that calls may find. */
const MAX_ITEMS = 1000;

/** The most memory that a container takes, in bytes, besides its items. */
export const CONTAINER_BYTES = 112;
const ITEM_BYTES = 16;
const CONSTANT_BYTES = 128;
const INTEGER_BYTES = 40;
const BUILT_TEXT_BYTES = 640;
/** What an array reserves for more when the first items are added to those that it has. */
const GROWTH_BYTES = 160;

/** Whether a value matters as the key of a dict with more items than are kept. */
export type IsNotableKey = (key: PickleValue) => boolean;

/** Returns a container with the given items; of more than {@link MAX_ITEMS}, those that matter. */
export function container(
  kind: Container["kind"],
  items: PickleValue[],
  isNotableKey: IsNotableKey,
): Container {
  const made: Container = { kind, items, omitted: 0, traits: hold(items), expanded: 0 };
  if (items.length > MAX_ITEMS) {
    made.items = items.slice(0, MAX_ITEMS);
    addNotable(made, items, MAX_ITEMS, isNotableKey);
  }
  return made;
}

/** What adding items took in bytes of memory, and whether it changed the level of a held value. */
export interface Growth {
  readonly bytes: number;
  readonly isLate: boolean;
}

/** Adds items to a container, up to {@link MAX_ITEMS} in all, and then only those that matter. */
export function extend(
  target: Container,
  items: PickleValue[],
  isNotableKey: IsNotableKey,
): Growth {
  const isLate = raise(target, hold(items));
  const room = Math.max(0, MAX_ITEMS - target.items.length);
  const first = target.items.length;
  const growth = first > 0 && first <= 2 ? GROWTH_BYTES : 0;
  if (first === 0) target.items = items.length > room ? items.slice(0, room) : items;
  else for (let i = 0; i < room && i < items.length; i++) target.items.push(items[i] ?? PLAIN);
  if (items.length > room) addNotable(target, items, room, isNotableKey);
  const added = first === 0 ? target.items : target.items.slice(first);
  return { bytes: added.length === 0 ? 0 : growth + keptBytes(added), isLate };
}

/** Adds what calls may find among the items from an index, and pairs whose key matters. */
function addNotable(
  target: Container,
  items: readonly PickleValue[],
  from: number,
  isNotableKey: IsNotableKey,
): void {
  const step = target.kind === "dict" ? 2 : 1;
  for (let i = from; i < items.length; i += step) {
    const [first = PLAIN, second = PLAIN] = [items[i], items[i + 1]];
    const isPair = step === 2;
    const isCallable = levelOf(first) > INERT || isPair && levelOf(second) > INERT;
    if (isCallable || isPair && isNotableKey(first)) {
      target.items.push(first);
      if (isPair) target.items.push(second);
      continue;
    }
    target.omitted += step;
    if (mayChange(first) || isPair && mayChange(second)) target.traits |= LOST;
  }
}

/** The bytes of memory that items take in a container. Constants that another one holds take none. */
export function keptBytes(items: readonly PickleValue[]): number {
  let bytes = items.length * ITEM_BYTES;
  for (const item of items) {
    if (item.kind === "integer") bytes += isSmall(item) ? 0 : INTEGER_BYTES;
    else if (item.kind === "built") bytes += BUILT_TEXT_BYTES;
    else if ((item.kind === "text" || item.kind === "bytes") && !item.isKept) {
      item.isKept = true;
      bytes += CONSTANT_BYTES;
    }
  }
  return bytes;
}
