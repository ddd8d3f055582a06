import type { ByteSource } from "../../contract/source.ts";
import { ByteCursor } from "../bytes/byte_cursor.ts";
import {
  type DocumentEntry,
  type DocumentEvent,
  MAX_KEY_CHARACTERS,
  MAX_NESTING_DEPTH,
  nestingTooDeep,
  stringTooLong,
} from "../document_event.ts";
import { type JsonToken, JsonTokenStream } from "./token_stream.ts";

/** An open object or list. */
interface Frame {
  readonly object: boolean;
  /** The number of elements read so far. */
  index: number;
  /** Whether the key of the current member is on the path. */
  keyed: boolean;
  empty: boolean;
}

type Expected = "value" | "key" | "colon" | "comma" | "end";

/** The literal names of JSON, and those that Python's parser accepts in addition. */
const WORDS: ReadonlyMap<string, number | boolean | null> = new Map<
  string,
  number | boolean | null
>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads JSON of any size as a stream of events with byte positions, including every occurrence of a
 * repeated key. Vocabularies make manifests too large for the values of `parseStrictJson` and
 * `parseLenientJson`. Reports malformed JSON once and reads on, since other parsers are less strict.
 *
 * @param limit The number of bytes to read.
 */
export function* readJson(
  source: ByteSource,
  limit: number,
): Generator<DocumentEvent, void, void> {
  const reader = new JsonEventReader();
  const tokens = new JsonTokenStream(new ByteCursor(source, limit));
  for (let token = tokens.next(); token !== undefined; token = tokens.next()) {
    yield* reader.take(token);
    if (reader.depth <= MAX_NESTING_DEPTH) continue;
    yield nestingTooDeep(token.position);
    return;
  }
  yield* reader.end(Math.min(source.size, limit));
}

class JsonEventReader {
  readonly #frames: Frame[] = [];
  readonly #path: string[] = [];
  #expected: Expected = "value";
  #isMalformed = false;
  #begun = false;
  /** Texts with comments may have commas before closing brackets. */
  #hasComments = false;

  get depth(): number {
    return this.#frames.length;
  }

  *take(token: JsonToken): Generator<DocumentEvent, void, void> {
    this.#begun ||= token.kind !== "comment";
    switch (token.kind) {
      case "{":
      case "[":
        return yield* this.#open(token.kind === "{", token.position);
      case "}":
      case "]":
        return yield* this.#close(token.kind === "}", token.position);
      case ",":
        return yield* this.#separate(token.position);
      case ":":
        yield* this.#expect("colon", token.position);
        this.#expected = "value";
        return;
      case "string":
        return yield* this.#string(token);
      case "word":
        return yield* this.#word(token.word, token.position);
      case "comment":
        this.#hasComments = true;
        yield { kind: "comment", path: this.#path, value: token.text, position: token.position };
    }
  }

  *end(position: number): Generator<DocumentEvent, void, void> {
    const whole = this.#frames.length === 0 && (this.#expected === "end" || !this.#begun);
    if (!whole) yield* this.#malformed(position);
  }

  *#open(object: boolean, position: number) {
    yield* this.#expect("value", position);
    this.#frames.push({ object, index: 0, keyed: false, empty: true });
    this.#expected = object ? "key" : "value";
  }

  *#close(object: boolean, position: number) {
    const frame = this.#frames.at(-1);
    const complete = this.#expected === "comma" ||
      (frame?.empty === true || this.#hasComments) && this.#expected === (object ? "key" : "value");
    if (frame?.object !== object || !complete) yield* this.#malformed(position);
    if (frame === undefined) return;
    this.#frames.pop();
    if (frame.keyed) this.#path.pop();
    this.#valueEnded();
  }

  *#separate(position: number) {
    yield* this.#expect("comma", position);
    const frame = this.#frames.at(-1);
    if (frame?.keyed) this.#valueEnded();
    this.#expected = frame?.object ? "key" : "value";
  }

  *#string({ value, position, cut, closed }: JsonToken & { readonly kind: "string" }) {
    if (!closed) yield* this.#malformed(position);
    if (cut) yield stringTooLong(position);
    const frame = this.#frames.at(-1);
    if (!frame?.object || frame.keyed) return yield* this.#value(value, position);
    yield* this.#expect("key", position);
    frame.keyed = true;
    frame.empty = false;
    this.#path.push(value.slice(0, MAX_KEY_CHARACTERS));
    this.#expected = "colon";
    yield { kind: "key", path: this.#path, value, position } satisfies DocumentEntry;
  }

  *#word(word: string, position: number) {
    const value = NUMBER.test(word) ? Number(word) : WORDS.get(word);
    if (value === undefined) yield* this.#malformed(position);
    yield* this.#value(value === undefined ? word : value, position);
  }

  *#value(value: DocumentEntry["value"], position: number) {
    yield* this.#expect("value", position);
    const frame = this.#frames.at(-1);
    yield {
      kind: "value",
      path: this.#path,
      value,
      position,
      ...frame?.object === false && { index: frame.index },
    } satisfies DocumentEntry;
    this.#valueEnded();
  }

  /** Drops the key of a finished value from the path and expects a comma or the end. */
  #valueEnded(): void {
    const frame = this.#frames.at(-1);
    this.#expected = frame === undefined ? "end" : "comma";
    if (frame === undefined) return;
    if (frame.keyed) this.#path.pop();
    frame.keyed = false;
    frame.empty = false;
    frame.index++;
  }

  *#expect(expected: Expected, position: number) {
    if (this.#expected !== expected) yield* this.#malformed(position);
  }

  *#malformed(position: number): Generator<DocumentEvent, void, void> {
    if (this.#isMalformed) return;
    this.#isMalformed = true;
    yield {
      kind: "defect",
      severity: "info",
      message: "Not valid JSON from here on; the values that could be read were checked",
      position,
      incomplete: "malformed_json",
    };
  }
}
