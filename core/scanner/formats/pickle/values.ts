import type { ImportRecord } from "./findings.ts";
import type { TextCodec } from "./literals.ts";

/** A string constant. Its bytes stay in the source until they are needed. */
export interface Text {
  readonly kind: "text";
  readonly codec: TextCodec;
  readonly from: number;
  readonly length: number;
  /** The decoded characters of a short string, once they were needed. */
  text: string | undefined;
  /** Whether a container holds it, and its memory was counted. */
  isKept: boolean;
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
  /** Whether a container holds it, and its memory was counted. */
  isKept: boolean;
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
  items: PickleValue[];
  /** Number of items that were dropped. */
  omitted: number;
  /** Number of items that were searched for methods. */
  searched: number;
  /** What {@link expandedSize} found: 0 before, -1 meanwhile. */
  expanded: number;
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
  state: PickleValue | undefined;
  /** What {@link expandedSize} found: 0 before, -1 meanwhile. */
  expanded: number;
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
/** Small integers, which many items of a pickle are. */
const SMALL: readonly Integer[] = Array.from(
  { length: 256 },
  (_, value) => ({ kind: "integer", value }),
);

export function integerValue(value: number | bigint): Integer {
  return (typeof value === "number" ? SMALL[value] : undefined) ?? { kind: "integer", value };
}

function isSmall({ value }: Integer): boolean {
  return typeof value === "number" && SMALL[value] !== undefined;
}

export const PERSISTENT: Persistent = { kind: "persistent" };

/** A string constant. */
export function textAt(codec: TextCodec, from: number, length: number): Text {
  return { kind: "text", codec, from, length, text: undefined, isKept: false };
}

/** A bytes constant. */
export function bytesAt(from: number, length: number): Bytes {
  return { kind: "bytes", from, length, isKept: false };
}

/** Returns the characters of a text value or of bytes, or undefined if they are not known. */
export type TextOf = (value: PickleValue) => string | undefined;

/** Items that are kept of one container. */
const MAX_ITEMS = 1000;

/** The most memory that an object of its kind takes, in bytes, besides the items of a container. */
export const CONTAINER_BYTES = 112;
export const CALL_BYTES = 112;
const ITEM_BYTES = 16;
const CONSTANT_BYTES = 128;
const INTEGER_BYTES = 40;
const BUILT_TEXT_BYTES = 640;
/** What an array reserves for more when the first items are added to those that it has. */
const GROWTH_BYTES = 160;

/** Returns a container with the given items, or the first {@link MAX_ITEMS} of them. */
export function container(kind: Container["kind"], items: PickleValue[]): Container {
  const omitted = Math.max(0, items.length - MAX_ITEMS);
  return {
    kind,
    items: omitted > 0 ? items.slice(0, MAX_ITEMS) : items,
    omitted,
    searched: 0,
    expanded: 0,
  };
}

/**
 * Adds items to a container, up to {@link MAX_ITEMS} in all. Returns the bytes of memory that it takes
 * for them.
 */
export function extend(target: Container, items: PickleValue[]): number {
  const room = Math.max(0, MAX_ITEMS - target.items.length);
  target.omitted += Math.max(0, items.length - room);
  if (room === 0) return 0;
  const added = items.length > room ? items.slice(0, room) : items;
  const growth = target.items.length > 0 && target.items.length <= 2 ? GROWTH_BYTES : 0;
  if (target.items.length === 0) target.items = added;
  else for (const item of added) target.items.push(item);
  return growth + keptBytes(added);
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
  const pending: PickleValue[] = [root];
  for (let value = pending.at(-1); value !== undefined; value = pending.at(-1)) {
    if (!hasParts(value) || value.expanded > 0) {
      pending.pop();
      continue;
    }
    const parts = partsOf(value);
    if (value.expanded < 0) {
      value.expanded = totalSize(parts);
      pending.pop();
      continue;
    }
    value.expanded = -1;
    for (const part of parts) if (hasParts(part) && part.expanded === 0) pending.push(part);
  }
  return hasParts(root) ? root.expanded : 1;
}

function hasParts(value: PickleValue): value is Container | Call {
  return isContainer(value) || value.kind === "call";
}

function partsOf(value: Container | Call): readonly PickleValue[] {
  if (value.kind !== "call") return value.items;
  return value.state === undefined ? value.args : [...value.args, value.state];
}

function totalSize(parts: readonly PickleValue[]): number {
  let size = 1;
  for (const part of parts) size += hasParts(part) ? Math.max(1, part.expanded) : 1;
  return Math.min(size, Number.MAX_SAFE_INTEGER);
}
