import type { ImportRecord } from "./findings.ts";

/** How the bytes of a text stand for its characters. */
export type TextForm = "utf8" | "latin1" | "string_escape" | "unicode_escape";

/** A text that lies in the source, which is read when it is needed. */
export interface Text {
  readonly kind: "text";
  readonly form: TextForm;
  readonly from: number;
  readonly length: number;
  /** The characters, once they were needed, of a short one. */
  text?: string | undefined;
}

/** A text that calls made while the pickle was loading. */
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

/** None, a bool, a float, a buffer: nothing depends on them. */
export interface Plain {
  readonly kind: "plain";
}

export interface Container {
  readonly kind: "tuple" | "list" | "set" | "dict";
  /** Its items; keys and values by turns in a dict. */
  readonly items: PickleValue[];
  /** How many more there are. */
  omitted: number;
  /** How many of the items have been searched for methods. */
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
  /** What BUILD gave it. */
  state?: PickleValue;
}

export interface Persistent {
  readonly kind: "persistent";
}

/** What cannot be known, such as a memo that another stream has filled. */
export interface Unknown {
  readonly kind: "unknown";
}

/** What a pickle makes while it is loading, as far as it matters. */
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
/** None, which is told apart from the others by identity. */
export const NONE: Plain = { kind: "plain" };
export const UNKNOWN_VALUE: Unknown = { kind: "unknown" };
export const PERSISTENT: Persistent = { kind: "persistent" };

/** Items that are kept of one container. */
const MAX_ITEMS = 1000;

/** A container of these items, or of the first thousand of them. */
export function container(kind: Container["kind"], items: PickleValue[]): Container {
  const omitted = Math.max(0, items.length - MAX_ITEMS);
  return { kind, items: omitted > 0 ? items.slice(0, MAX_ITEMS) : items, omitted, searched: 0 };
}

/** Puts items into a container, as far as there is room. */
export function extend(target: Container, items: readonly PickleValue[]): void {
  const room = Math.max(0, MAX_ITEMS - target.items.length);
  for (let i = 0; i < items.length && i < room; i++) target.items.push(items[i] ?? UNKNOWN_VALUE);
  target.omitted += Math.max(0, items.length - room);
}

/** Whether items can be put into it that are seen again. */
export function isContainer(value: PickleValue): value is Container {
  return value.kind === "tuple" || value.kind === "list" || value.kind === "set" ||
    value.kind === "dict";
}

/** The value under a key of ASCII in a dict; the last one, where there are several. */
export function dictEntry(
  dict: PickleValue | undefined,
  key: string,
  textOf: (value: PickleValue) => string | undefined,
): PickleValue | undefined {
  if (dict?.kind !== "dict") return undefined;
  for (let i = dict.items.length - 2 - (dict.items.length % 2); i >= 0; i -= 2) {
    const name = dict.items[i];
    if (name?.kind !== "text" || name.length !== key.length) continue;
    if (textOf(name) === key) return dict.items[i + 1];
  }
  return undefined;
}
