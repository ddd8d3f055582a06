import { JsonError, StrictJsonCursor } from "./strict_cursor.ts";
import { MIB } from "../../../../schemas/units.ts";

/** How much JSON is read. */
export interface StrictJsonLimits {
  /** Bytes of UTF-8, or characters of a text. */
  readonly maxLength: number;
  /** Arrays and objects within each other. */
  readonly maxDepth: number;
  /** Values, those in arrays and objects included. */
  readonly maxValues: number;
}

/** Bounds within which hostile JSON takes up to 300 MiB of memory, and honest JSON far less. */
export const STRICT_JSON_LIMITS: StrictJsonLimits = {
  maxLength: 16 * MIB,
  maxDepth: 64,
  maxValues: 1_000_000,
};

/** A JSON text that was read. */
export interface ParsedJson {
  /**
   * Objects inherit nothing, so that `__proto__` and `constructor` are keys like others. Integers
   * that no number can hold exactly are bigints.
   */
  readonly value: unknown;
  /** Paths of keys that an object has more than once, such as `layers[2].name`: the first 100. */
  readonly duplicateKeys: readonly string[];
}

const DUPLICATES_TOLD = 100;
const KEY_TOLD = 100;
const INHERITS_NOTHING: object = Object.freeze(Object.create(null));

/**
 * Reads strict JSON (RFC 8259), and tells the keys that occur twice, of which the last one counts as
 * it does for most readers. Decide by the duplicates whether the value may be believed.
 * `JSON.parse` tells no duplicates, and rounds the offsets of tensors. Texts of any size are read by
 * `manifest/read_json.ts`, what Python alone takes for JSON by `parse_lenient_json.ts`.
 *
 * @throws {JsonError} where it is no JSON or exceeds the bounds.
 */
export function parseStrictJson(
  json: string | Uint8Array,
  bounds: StrictJsonLimits = STRICT_JSON_LIMITS,
): ParsedJson {
  if (json.length > bounds.maxLength) throw new JsonError("too_long", bounds.maxLength);
  const reader = new StrictJsonParser(new StrictJsonCursor(decoded(json)), bounds);
  return { value: reader.document(), duplicateKeys: reader.duplicateKeys };
}

function decoded(json: string | Uint8Array): string {
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
  readonly #bounds: StrictJsonLimits;
  readonly #path: (string | number)[] = [];
  #values = 0;

  constructor(cursor: StrictJsonCursor, bounds: StrictJsonLimits) {
    this.#cursor = cursor;
    this.#bounds = bounds;
  }

  document(): unknown {
    const value = this.#value();
    if (this.#cursor.peek() !== "") this.#cursor.fail();
    return value;
  }

  #value(): unknown {
    this.#values++;
    if (this.#values > this.#bounds.maxValues) this.#cursor.fail("too_many_values");
    if (this.#path.length > this.#bounds.maxDepth) this.#cursor.fail("too_deep");
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
    const object: Record<string, unknown> = Object.create(INHERITS_NOTHING);
    this.#cursor.expect("{");
    if (this.#cursor.take("}")) return object;
    do {
      const key = this.#cursor.string();
      this.#path.push(key);
      if (Object.hasOwn(object, key)) this.#tellDuplicate();
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

  #tellDuplicate(): void {
    if (this.duplicateKeys.length >= DUPLICATES_TOLD) return;
    const steps = this.#path.map((step) =>
      typeof step === "number" ? `[${step}]` : `.${step.slice(0, KEY_TOLD)}`
    );
    this.duplicateKeys.push(steps.join("").replace(/^\./, ""));
  }
}
