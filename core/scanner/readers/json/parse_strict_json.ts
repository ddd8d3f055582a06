import { JsonError, StrictJsonCursor } from "./strict_cursor.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Limits on the JSON that is parsed. */
export interface StrictJsonLimits {
  /** Bytes of a byte array, or characters of a string. */
  readonly maxLength: number;
  /** Levels of nested arrays and objects. */
  readonly maxDepth: number;
  /** Values, including those in arrays and objects. */
  readonly maxValues: number;
}

/** Within these limits hostile JSON takes up to 300 MiB of memory, and honest JSON far less. */
export const STRICT_JSON_LIMITS: StrictJsonLimits = {
  maxLength: 16 * MIB,
  maxDepth: 64,
  maxValues: 1_000_000,
};

/** The result of {@link parseStrictJson}. */
export interface ParsedJson {
  /**
   * Objects have no prototype, so `__proto__` and `constructor` are ordinary keys. Integers of up to 20
   * digits that a number would round are bigints.
   */
  readonly value: unknown;
  /** The paths of the first 100 repeated keys, such as `layers[2].name`. */
  readonly duplicateKeys: readonly string[];
}

const MAX_DUPLICATE_KEYS = 100;
const MAX_PATH_KEY_CHARACTERS = 100;
const NO_PROTOTYPE: object = Object.freeze(Object.create(null));

/**
 * Parses strict JSON (RFC 8259) into a value, for binary headers on whose meaning all parsers must
 * agree. Unlike `JSON.parse`, it reports repeated keys and keeps large tensor offsets exact. The last
 * occurrence of a repeated key wins, as in most parsers; the caller decides whether to trust the value.
 *
 * `parseLenientJson` parses configurations as Python does. `readJson` reads documents of any size as a
 * stream of events.
 *
 * @throws {JsonError} when the text is not strict JSON or exceeds a limit.
 */
export function parseStrictJson(
  json: string | Uint8Array,
  limits: StrictJsonLimits = STRICT_JSON_LIMITS,
): ParsedJson {
  if (json.length > limits.maxLength) throw new JsonError("too_long", limits.maxLength);
  const reader = new StrictJsonParser(new StrictJsonCursor(decodeUtf8(json)), limits);
  return { value: reader.document(), duplicateKeys: reader.duplicateKeys };
}

function decodeUtf8(json: string | Uint8Array): string {
  if (typeof json === "string") return json;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(json);
  } catch {
    throw new JsonError("not_utf8", 0);
  }
}

class StrictJsonParser {
  readonly duplicateKeys: string[] = [];
  readonly #cursor: StrictJsonCursor;
  readonly #limits: StrictJsonLimits;
  readonly #path: (string | number)[] = [];
  #values = 0;

  constructor(cursor: StrictJsonCursor, limits: StrictJsonLimits) {
    this.#cursor = cursor;
    this.#limits = limits;
  }

  document(): unknown {
    const value = this.#value();
    if (this.#cursor.peek() !== "") this.#cursor.fail();
    return value;
  }

  #value(): unknown {
    this.#values++;
    if (this.#values > this.#limits.maxValues) this.#cursor.fail("too_many_values");
    if (this.#path.length > this.#limits.maxDepth) this.#cursor.fail("too_deep");
    switch (this.#cursor.peek()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#cursor.string();
      default:
        return this.#scalar();
    }
  }

  #scalar(): unknown {
    if (this.#cursor.take("true")) return true;
    if (this.#cursor.take("false")) return false;
    if (this.#cursor.take("null")) return null;
    return this.#cursor.number();
  }

  #object(): unknown {
    const object: Record<string, unknown> = Object.create(NO_PROTOTYPE);
    this.#cursor.expect("{");
    if (this.#cursor.take("}")) return object;
    do {
      const key = this.#cursor.string();
      this.#path.push(key);
      if (Object.hasOwn(object, key)) this.#addDuplicate();
      this.#cursor.expect(":");
      object[key] = this.#value();
      this.#path.pop();
    } while (this.#cursor.take(","));
    this.#cursor.expect("}");
    return object;
  }

  #array(): unknown {
    const array: unknown[] = [];
    this.#cursor.expect("[");
    if (this.#cursor.take("]")) return array;
    do {
      this.#path.push(array.length);
      array.push(this.#value());
      this.#path.pop();
    } while (this.#cursor.take(","));
    this.#cursor.expect("]");
    return array;
  }

  #addDuplicate(): void {
    if (this.duplicateKeys.length >= MAX_DUPLICATE_KEYS) return;
    const steps = this.#path.map((step) =>
      typeof step === "number" ? `[${step}]` : `.${step.slice(0, MAX_PATH_KEY_CHARACTERS)}`
    );
    this.duplicateKeys.push(steps.join("").replace(/^\./, ""));
  }
}
