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
  /** Bits that `traits.ts` explains. */
  traits: number;
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
  /** Its arguments, and then the items that were added to it, but for constants. */
  args: PickleValue[];
  /** The state that BUILD sets. */
  state: PickleValue | undefined;
  /** Bits that `traits.ts` explains. */
  traits: number;
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

/** Whether an integer takes no memory of its own. */
export function isSmall({ value }: Integer): boolean {
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

/** Whether a value has parts that may change. */
export function hasParts(value: PickleValue): value is Container | Call {
  return isContainer(value) || value.kind === "call";
}

/** What a value is made of: items, arguments, state. */
export function partsOf(value: Container | Call): readonly PickleValue[] {
  if (value.kind !== "call") return value.items;
  return value.state === undefined ? value.args : [...value.args, value.state];
}
