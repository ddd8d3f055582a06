import type { ImportRecord } from "./findings.ts";
import type { TextCodec } from "./literals.ts";

/** A string constant. Its bytes stay in the source until they are needed. */
export interface Text {
  readonly kind: "text";
  readonly codec: TextCodec;
  readonly from: number;
  readonly length: number;
  /** The decoded characters of a short string, once they were needed. */
  text?: string | undefined;
}

/** A string that a call builds at load time. */
export interface BuiltText {
  readonly kind: "built";
  readonly text: string;
}

export interface Bytes {
  readonly kind: "bytes";
  readonly from: number;
  readonly length: number;
}

export interface Integer {
  readonly kind: "integer";
  readonly value: number | bigint;
}

/** None, a bool, a float or a buffer, whose value has no effect on the scan. */
export interface Plain {
  readonly kind: "plain";
}

export interface Container {
  readonly kind: "tuple" | "list" | "set" | "dict";
  /** Its first items. In a dict, keys and values alternate. */
  readonly items: PickleValue[];
  /** Number of items that were dropped. */
  omitted: number;
  /** Number of items that were searched for methods. */
  searched: number;
}

export interface Import {
  readonly kind: "import";
  readonly record: ImportRecord;
}

export interface Call {
  readonly kind: "call";
  readonly callee: PickleValue;
  readonly args: readonly PickleValue[];
  /** The state that BUILD sets. */
  state?: PickleValue;
}

/** An object that the loader supplies for a persistent id. */
export interface Persistent {
  readonly kind: "persistent";
}

/** A value that cannot be determined, such as a memo entry that an earlier stream has set. */
export interface Unknown {
  readonly kind: "unknown";
}

/** A value on the stack or in the memo, as far as the scan needs to know it. */
export type PickleValue =
  | Text
  | BuiltText
  | Bytes
  | Integer
  | Plain
  | Container
  | Import
  | Call
  | Persistent
  | Unknown;

export const PLAIN: Plain = { kind: "plain" };
/** None, which is distinguished from the other plain values by identity. */
export const NONE: Plain = { kind: "plain" };
export const UNKNOWN: Unknown = { kind: "unknown" };
export const PERSISTENT: Persistent = { kind: "persistent" };

/** Returns the characters of a text value or of bytes, or undefined if they are not known. */
export type TextOf = (value: PickleValue) => string | undefined;

/** Items that are kept of one container. */
const MAX_ITEMS = 1000;

/** Returns a container with the given items, or the first {@link MAX_ITEMS} of them. */
export function container(kind: Container["kind"], items: PickleValue[]): Container {
  const omitted = Math.max(0, items.length - MAX_ITEMS);
  return { kind, items: omitted > 0 ? items.slice(0, MAX_ITEMS) : items, omitted, searched: 0 };
}

/** Adds items to a container, up to {@link MAX_ITEMS} in all. Returns how many. */
export function extend(target: Container, items: readonly PickleValue[]): number {
  const room = Math.max(0, MAX_ITEMS - target.items.length);
  for (let i = 0; i < items.length && i < room; i++) target.items.push(items[i] ?? UNKNOWN);
  target.omitted += Math.max(0, items.length - room);
  return Math.min(items.length, room);
}

export function isContainer(value: PickleValue): value is Container {
  return value.kind === "tuple" || value.kind === "list" || value.kind === "set" ||
    value.kind === "dict";
}

/** The canonical path of an import, or undefined for other values. */
export function importPath(value: PickleValue | undefined): string | undefined {
  return value?.kind === "import" ? value.record.path : undefined;
}

/** Returns the last value under an ASCII key of a dict, or undefined if it has no such key. */
export function dictEntry(
  dict: PickleValue | undefined,
  key: string,
  textOf: TextOf,
): PickleValue | undefined {
  if (dict?.kind !== "dict") return undefined;
  for (let i = dict.items.length - 2 - (dict.items.length % 2); i >= 0; i -= 2) {
    const name = dict.items[i];
    if (name?.kind !== "text" || name.length !== key.length) continue;
    if (textOf(name) === key) return dict.items[i + 1];
  }
  return undefined;
}

/**
 * Returns the number of objects in a value if every shared object were copied wherever it occurs.
 * Linear in the number of distinct objects; a container within itself counts as one.
 */
export function expandedSize(root: PickleValue): number {
  const sizes = new Map<PickleValue, number>();
  const pending: PickleValue[] = [root];
  for (let value = pending.at(-1); value !== undefined; value = pending.at(-1)) {
    if (!hasParts(value) || (sizes.get(value) ?? 0) > 0) {
      pending.pop();
      continue;
    }
    const parts = partsOf(value);
    if (sizes.has(value)) {
      sizes.set(value, totalSize(parts, sizes));
      pending.pop();
      continue;
    }
    sizes.set(value, 0);
    for (const part of parts) if (hasParts(part) && !sizes.has(part)) pending.push(part);
  }
  return sizes.get(root) ?? 1;
}

function hasParts(value: PickleValue): value is Container | Call {
  return isContainer(value) || value.kind === "call";
}

function partsOf(value: Container | Call): readonly PickleValue[] {
  if (value.kind !== "call") return value.items;
  return value.state === undefined ? value.args : [...value.args, value.state];
}

function totalSize(
  parts: readonly PickleValue[],
  sizes: ReadonlyMap<PickleValue, number>,
): number {
  let size = 1;
  for (const part of parts) size += Math.max(1, sizes.get(part) ?? 1);
  return Math.min(size, Number.MAX_SAFE_INTEGER);
}
