import { isObject, type JsonObject, type JsonValue } from "../../../schemas/json.ts";
import { mergeMlContexts } from "./merge_ml_context.ts";
import { plainObject } from "./plain_data.ts";

/** Counters of pickles. Those of members count for the file that contains them (SR 2.5). */
const COUNTERS: readonly string[] = ["max_stack_depth", "opcode_count", "suspicious_count"];

/** Merges the facts of all scanners into the metadata of a file (SR 2.5). */
export class MetadataCollector {
  readonly #metadata = new Map<string, JsonValue>();

  /**
   * Merges facts with those of the same name: numbers are added, the maximum stack depth is the
   * greater one, lists and objects are joined, `ml_context` is merged field by field, and any other value replaces the earlier one.
   */
  add(facts: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(plainObject(facts))) {
      const earlier = this.#metadata.get(name);
      this.#metadata.set(name, earlier === undefined ? value : merged(name, earlier, value));
    }
  }

  /**
   * Merges the facts of a member, of which only the counters of pickles apply to the file.
   *
   * @param describes Whether what is known of the model in it applies, too.
   */
  addOfMember(facts: Readonly<Record<string, unknown>>, describes: boolean): void {
    const entries = Object.entries(facts).filter(([name]) =>
      COUNTERS.includes(name) || describes && name === "ml_context"
    );
    this.add(Object.fromEntries(entries));
  }

  get metadata(): JsonObject {
    return Object.fromEntries(this.#metadata);
  }
}

function merged(name: string, earlier: JsonValue, value: JsonValue): JsonValue {
  if (typeof earlier === "number" && typeof value === "number") {
    return name === "max_stack_depth" ? Math.max(earlier, value) : earlier + value;
  }
  if (Array.isArray(earlier) && Array.isArray(value)) return [...earlier, ...value];
  if (name === "ml_context" && isObject(earlier) && isObject(value)) {
    return mergeMlContexts(earlier, value);
  }
  if (isObject(earlier) && isObject(value)) return { ...earlier, ...value };
  return value;
}
