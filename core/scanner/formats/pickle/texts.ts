import { decodeText, type TextCodec } from "./literals.ts";
import type { Bytes, PickleValue, Text } from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** Longest string that is decoded. Names that matter are far shorter. */
const MAX_TEXT_BYTES = 4096;

/** Longest string whose characters are kept: a pickle may have a million strings. */
const MAX_CACHED_TEXT_BYTES = 64;

const UNDERSCORE = 0x5f;
const BACKSLASH = 0x5c;

/** The characters of the strings in a pickle. */
export class Texts {
  readonly #window: PickleWindow;

  constructor(window: PickleWindow) {
    this.#window = window;
  }

  /** Returns the characters of a string, or of bytes as Latin-1; undefined if too long to decode. */
  readonly textOf = (value: PickleValue): string | undefined => {
    if (value.kind === "built") return value.text;
    if (value.kind === "bytes") return this.#decoded(value, "latin1");
    if (value.kind !== "text") return undefined;
    if (value.text !== undefined) return value.text;
    const text = this.#decoded(value, value.codec);
    if (value.length <= MAX_CACHED_TEXT_BYTES) value.text = text;
    return text;
  };

  #decoded({ from, length }: Text | Bytes, codec: TextCodec): string | undefined {
    if (length > MAX_TEXT_BYTES) return undefined;
    return decodeText(this.#window.bytes(from, length), codec);
  }

  /** Whether a key may be a special attribute, by its first character. */
  readonly isNotableKey = (key: PickleValue): boolean => {
    if (key.kind !== "text") return key.kind !== "integer" && key.kind !== "plain";
    if (key.text !== undefined) return key.text.startsWith("_");
    const first = this.#window.bytes(key.from, 1)[0];
    return first === UNDERSCORE || first === BACKSLASH;
  };
}
