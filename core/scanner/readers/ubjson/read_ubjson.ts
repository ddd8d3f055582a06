import type { ByteSource } from "../../contract/source.ts";
import { viewOf } from "../bytes/bytes.ts";
import { NumberCursor } from "../bytes/number_cursor.ts";
import { MalformedError } from "../malformed.ts";

/** A value in a document, with the keys of the objects around it. The reader reuses the path. */
export interface UbjsonValue {
  readonly path: readonly string[];
  readonly value: string | number | boolean | null | NumberList;
  readonly position: number;
  /** The index of the value, if it is an element of a list. */
  readonly index?: number;
}

/** A list of numbers of one type. The least and the greatest are those of whole numbers only. */
export interface NumberList {
  readonly count: number;
  readonly min?: number;
  readonly max?: number;
}

/** Values in one document. A list of numbers of one type counts as one. */
const MAX_VALUES = 5_000_000;
const MAX_DEPTH = 100;
const MAX_TEXT_BYTES = 64 * 1024;
const MAX_KEY_CHARACTERS = 256;

/** An open object or list. */
interface Frame {
  readonly isObject: boolean;
  /** The type of all elements, if it is given once. */
  readonly type: string | undefined;
  /** The elements that follow; undefined if an end mark follows them. */
  left: number | undefined;
  index: number;
}

/** The bytes of whole numbers by their type. */
const WHOLE_NUMBER_BYTES: Readonly<Record<string, number>> = { i: 1, U: 1, I: 2, l: 4, L: 8 };
const FRACTION_BYTES: Readonly<Record<string, number>> = { d: 4, D: 8 };

/** How to read a number by its type. */
const NUMBERS: ReadonlyMap<string, (cursor: NumberCursor) => number> = new Map([
  ["i", (it) => it.i8()],
  ["U", (it) => it.u8()],
  ["I", (it) => it.i16()],
  ["l", (it) => it.i32()],
  ["L", (it) => it.i64()],
  ["d", (it) => it.f32()],
  ["D", (it) => it.f64()],
]);

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ["Z", null],
  ["T", true],
  ["F", false],
]);

/**
 * Reads one UBJSON value (draft 12) as a stream: its texts, numbers, words, and lists of numbers.
 *
 * @returns where the value ends.
 * @throws {MalformedError} when it is cut off, malformed or exceeds a limit.
 */
export function* readUbjson(source: ByteSource): Generator<UbjsonValue, number, void> {
  const reader = new UbjsonReader(new NumberCursor(source, false));
  yield* reader.read();
  return reader.position;
}

class UbjsonReader {
  readonly #cursor: NumberCursor;
  readonly #path: string[] = [];
  readonly #frames: Frame[] = [];
  #values = 0;

  constructor(cursor: NumberCursor) {
    this.#cursor = cursor;
  }

  get position(): number {
    return this.#cursor.position;
  }

  *read(): Generator<UbjsonValue, void, void> {
    do {
      const frame = this.#frames.at(-1);
      const type = frame?.left === 0 ? END : frame?.type ?? this.#type(frame);
      if (type === END) this.#close();
      else {
        if (frame?.isObject) this.#key(type, frame);
        yield* this.#value(frame?.isObject && frame.type === undefined ? this.#mark() : type);
      }
    } while (this.#frames.length > 0);
  }

  /** The next type, which in an object is that of a key's length. */
  #type(frame: Frame | undefined): string {
    const type = this.#mark();
    const end = frame?.isObject ? "}" : "]";
    return frame !== undefined && frame.left === undefined && type === end ? END : type;
  }

  /** @param type That of the length, unless the object has a type: then the length's type follows. */
  #key(type: string, frame: Frame): void {
    const length = this.#length(frame.type === undefined ? type : this.#mark());
    this.#path.push(this.#cursor.text(length, MAX_TEXT_BYTES).slice(0, MAX_KEY_CHARACTERS));
  }

  *#value(type: string): Generator<UbjsonValue, void, void> {
    if (++this.#values > MAX_VALUES) throw limit("value_limit", "too many values to read");
    if (type === "[" || type === "{") return yield* this.#open(type === "{");
    const { position } = this.#cursor;
    const value = this.#scalar(type);
    const frame = this.#frames.at(-1);
    yield {
      path: this.#path,
      value,
      position,
      ...frame?.isObject === false && { index: frame.index },
    };
    this.#ended();
  }

  #scalar(type: string): UbjsonValue["value"] {
    const read = NUMBERS.get(type);
    if (read !== undefined) return read(this.#cursor);
    const word = WORDS.get(type);
    if (word !== undefined) return word;
    if (type === "C") return String.fromCharCode(this.#cursor.u8());
    if (type === "S" || type === "H") {
      return this.#cursor.text(this.#length(this.#mark()), MAX_TEXT_BYTES);
    }
    throw malformed(this.#cursor.position);
  }

  /** Opens an object or a list. A type and a count may precede its elements. */
  *#open(isObject: boolean): Generator<UbjsonValue, void, void> {
    if (this.#frames.length >= MAX_DEPTH) throw limit("nesting_limit", "values nested too deeply");
    const start = this.#cursor.position;
    const hasType = this.#mark() === "$";
    const type = hasType ? this.#mark() : undefined;
    if (!hasType) this.#cursor.position = start;
    const hasCount = this.#cursor.bytesLeft > 0 && this.#peek() === "#";
    if (hasType && !hasCount) throw malformed(start);
    if (hasCount) this.#mark();
    const left = hasCount ? this.#length(this.#mark()) : undefined;
    const isNumbers = !isObject && type !== undefined && NUMBERS.has(type);
    if (!isNumbers || left === undefined) {
      this.#frames.push({ isObject, type, left, index: 0 });
      return;
    }
    const { position } = this.#cursor;
    yield { path: this.#path, value: this.#numbers(type, left), position };
    this.#ended();
  }

  #numbers(type: string, count: number): NumberList {
    const fractionBytes = FRACTION_BYTES[type];
    if (fractionBytes !== undefined) {
      this.#cursor.skip(count * fractionBytes);
      return { count };
    }
    const bytes = WHOLE_NUMBER_BYTES[type] ?? 1;
    let [min, max] = [Infinity, -Infinity];
    for (let left = count; left > 0;) {
      const block = Math.min(left, BLOCK_NUMBERS);
      const view = viewOf(this.#cursor.bytes(block * bytes, block * bytes));
      for (let index = 0; index < block; index++) {
        const value = wholeNumberAt(view, index * bytes, type);
        if (value < min) min = value;
        if (value > max) max = value;
      }
      left -= block;
    }
    return { count, min, max };
  }

  #close(): void {
    this.#frames.pop();
    this.#ended();
  }

  /** Ends a value: drops its key, and counts it. */
  #ended(): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame.isObject) this.#path.pop();
    if (frame.left !== undefined) frame.left--;
    frame.index++;
  }

  #peek(): string {
    const mark = this.#mark();
    this.#cursor.position--;
    return mark;
  }

  /** The next type. `N` stands for nothing. */
  #mark(): string {
    let mark = "N";
    while (mark === "N") mark = String.fromCharCode(this.#cursor.u8());
    return mark;
  }

  #length(type: string): number {
    const read = NUMBERS.get(type);
    const length = read === undefined || type === "d" || type === "D" ? -1 : read(this.#cursor);
    if (length < 0) throw malformed(this.#cursor.position);
    return length;
  }
}

/** Whole numbers that are in memory at once. */
const BLOCK_NUMBERS = 2048;

function wholeNumberAt(view: DataView, offset: number, type: string): number {
  switch (type) {
    case "i":
      return view.getInt8(offset);
    case "I":
      return view.getInt16(offset);
    case "l":
      return view.getInt32(offset);
    case "L":
      return Number(view.getBigInt64(offset));
    default:
      return view.getUint8(offset);
  }
}

/** What ends an object or a list. */
const END = "";

function limit(reason: string, problem: string): MalformedError {
  return new MalformedError(reason, `The file has ${problem}`, true);
}

function malformed(position: number): MalformedError {
  return new MalformedError("malformed_ubjson", `Not UBJSON at ${position}`);
}
