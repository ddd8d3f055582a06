import type { RDataCursor, RElement } from "./cursor.ts";

/** Types of items in serialized R objects (R Internals, 1.1 and 1.8; `serialize.c`). */
const SYMBOL = 1;
const PAIR_LIST = 2;
const CLOSURE = 3;
const ENVIRONMENT = 4;
const PROMISE = 5;
const LANGUAGE = 6;
const SPECIAL = 7;
const BUILTIN = 8;
const CHARACTERS = 9;
const LOGICAL = 10;
const INTEGER = 13;
const REAL = 14;
const COMPLEX = 15;
const STRINGS = 16;
const DOTS = 17;
const LIST = 19;
const EXPRESSIONS = 20;
const BYTE_CODE = 21;
const EXTERNAL_POINTER = 22;
const WEAK_REFERENCE = 23;
const RAW = 24;
const S4 = 25;
const ALTREP = 238;
const ATTRIBUTED_LIST = 239;
const ATTRIBUTED_LANGUAGE = 240;
const REPEATED = 243;
const REPEATABLE = 244;
const PERSISTENT = 247;
const PACKAGE = 248;
const NAMESPACE = 249;
const REFERENCE = 255;

/** Types that stand for one object of the interpreter, such as NULL and the global environment. */
const CONSTANTS: ReadonlySet<number> = new Set([241, 242, 250, 251, 252, 253, 254]);

const HAS_ATTRIBUTES = 1 << 9;
const HAS_TAG = 1 << 10;

/** A type that R does not write, so that nothing after it can be read. */
export class UnknownRType extends Error {
  override readonly name = "UnknownRType";
}

/** What an R object contains. */
export interface RObjects {
  readonly items: number;
  /** Offsets of the first promises that are values themselves, or parts of values. */
  readonly promises: readonly number[];
  /** How many variables of functions have a promise as a value, as arguments have before their use. */
  readonly boundPromises: number;
  readonly functions: number;
}

/** Offsets that are kept. */
const MAX_OFFSETS = 100;

/** Nested items. R itself stops far earlier. */
const MAX_DEPTH = 100_000;

/** What is read next: items, byte code, its constants, or code within them. */
interface Task {
  readonly kind: "items" | "code" | "constants" | "constant" | "language";
  left: number;
  /** Whether the items are variables of an environment. */
  readonly bound?: boolean;
}

/**
 * Reads a serialized R object without keeping any of it. Items hold only numbers before the items
 * within them, so that it is enough to know how many are still to come.
 */
export class RObjectWalk implements RObjects {
  readonly #cursor: RDataCursor;
  readonly #tasks: Task[] = [{ kind: "items", left: 1 }];
  items = 0;
  readonly promises: number[] = [];
  boundPromises = 0;
  functions = 0;

  constructor(cursor: RDataCursor) {
    this.#cursor = cursor;
  }

  /**
   * Reads to the end of the object.
   *
   * @throws {RangeError} when the data ends before the object.
   * @throws {UnknownRType} when the object contains an item of an unknown type.
   */
  read(): void {
    this.#cursor.skipHeader();
    for (let task = this.#tasks.at(-1); task !== undefined; task = this.#tasks.at(-1)) {
      if (task.left-- <= 0) this.#tasks.pop();
      else this.#step(task.kind, task.bound === true);
    }
  }

  #step(kind: Task["kind"], bound: boolean): void {
    switch (kind) {
      case "items":
        return this.#item(bound);
      case "code":
        // The instructions are an item; their constants follow it.
        return this.#push({ kind: "constants", left: 1 }, { kind: "items", left: 1 });
      case "constants":
        return this.#push({ kind: "constant", left: this.#cursor.length() });
      case "constant":
        return this.#constant(this.#cursor.integer());
      case "language":
        return this.#language(this.#cursor.integer());
    }
  }

  #constant(type: number): void {
    if (type === BYTE_CODE) this.#push({ kind: "code", left: 1 });
    else this.#language(type);
  }

  /** Code within byte code, where repeated parts are stored once. */
  #language(type: number): void {
    if (type === REPEATED) return void this.#cursor.integer();
    if (type === REPEATABLE) {
      this.#cursor.integer();
      return this.#pair(this.#cursor.integer());
    }
    this.#pair(type);
  }

  #pair(type: number): void {
    const attributed = type === ATTRIBUTED_LANGUAGE || type === ATTRIBUTED_LIST;
    if (attributed || type === LANGUAGE || type === PAIR_LIST) {
      this.#push({ kind: "language", left: 2 }, { kind: "items", left: attributed ? 2 : 1 });
    } else this.#push({ kind: "items", left: 1 });
  }

  #push(...tasks: readonly Task[]): void {
    // The last part of a list is the rest of the list, so that lists would nest by their lengths.
    while (this.#tasks.at(-1)?.left === 0) this.#tasks.pop();
    for (const task of tasks) if (task.left > 0) this.#tasks.push(task);
    if (this.#tasks.length > MAX_DEPTH) throw new UnknownRType("Items are nested too deeply");
  }

  #inner(items: number, bound = false): void {
    this.#push({ kind: "items", left: items, bound });
  }

  #promise(at: number, bound: boolean): void {
    if (bound) this.boundPromises++;
    else if (this.promises.length < MAX_OFFSETS) this.promises.push(at);
  }

  #item(bound: boolean): void {
    const at = this.#cursor.at;
    const flags = this.#cursor.integer();
    const type = flags & 0xff;
    const attributes = (flags & HAS_ATTRIBUTES) === 0 ? 0 : 1;
    this.items++;
    if (type === PROMISE) this.#promise(at, bound);
    if (type === CLOSURE) this.functions++;
    switch (type) {
      case SYMBOL:
        return this.#inner(1);
      case PAIR_LIST:
      case DOTS:
        return this.#inner(attributes + ((flags & HAS_TAG) === 0 ? 0 : 1) + 2, bound);
      case CLOSURE:
      case PROMISE:
      case LANGUAGE:
        return this.#inner(attributes + ((flags & HAS_TAG) === 0 ? 0 : 1) + 2);
      case ENVIRONMENT:
        this.#cursor.integer();
        return this.#inner(4, true);
      case LIST:
        return this.#inner(this.#cursor.length() + attributes, bound);
      case EXPRESSIONS:
      case STRINGS:
        return this.#inner(this.#cursor.length() + attributes);
      case BYTE_CODE:
        this.#cursor.integer();
        this.#inner(attributes);
        return this.#push({ kind: "code", left: 1 });
      case EXTERNAL_POINTER:
        return this.#inner(2 + attributes);
      case WEAK_REFERENCE:
      case S4:
        return this.#inner(attributes);
      case ALTREP:
        return this.#inner(3);
      case PERSISTENT:
      case PACKAGE:
      case NAMESPACE:
        this.#cursor.integer();
        return this.#inner(this.#cursor.integer());
      case REFERENCE:
        if (flags >>> 8 === 0) this.#cursor.integer();
        return;
      default:
        this.#data(type, attributes);
    }
  }

  /** Items of texts or numbers. */
  #data(type: number, attributes: number): void {
    const element = ELEMENTS.get(type);
    // The length of a missing text is -1.
    if (TEXTS.has(type)) this.#cursor.skipText(Math.max(0, this.#cursor.integer()));
    else if (element !== undefined) this.#cursor.skipElements(this.#cursor.length(), element);
    else if (CONSTANTS.has(type)) return;
    else throw new UnknownRType(`Type ${type}`);
    this.#inner(attributes);
  }
}

const TEXTS: ReadonlySet<number> = new Set([SPECIAL, BUILTIN, CHARACTERS]);

/** Elements of vectors, by type. */
const ELEMENTS: ReadonlyMap<number, RElement> = new Map([
  [LOGICAL, { bytes: 4, words: 1 }],
  [INTEGER, { bytes: 4, words: 1 }],
  [REAL, { bytes: 8, words: 1 }],
  [COMPLEX, { bytes: 16, words: 2 }],
  [RAW, { bytes: 1, words: 1 }],
]);
