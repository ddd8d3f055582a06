import { isObject } from "../../../schemas/json.ts";
import type { JsonObject, JsonValue } from "../../../schemas/json.ts";
import { plainObject } from "./plain_data.ts";

/** Counters of pickles: those of members count for the file that they are in (SR 2.5). */
const COUNTERS: readonly string[] = ["max_stack_depth", "opcode_count", "suspicious_count"];

/** Collects what scanners tell about a file. */
export class MetadataCollector {
  readonly #facts = new Map<string, JsonValue>();

  /**
   * Adds facts. Numbers that are there already are added up, the greater depth of a stack is kept,
   * lists are joined, objects too, and otherwise the later value stands.
   */
  add(facts: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(plainObject(facts))) {
      const before = this.#facts.get(name);
      this.#facts.set(name, before === undefined ? value : joined(name, before, value));
    }
  }

  /** Adds the facts of a member, of which only the counters of pickles are the file's as well. */
  addOfMember(facts: Readonly<Record<string, unknown>>): void {
    const entries = Object.entries(facts).filter(([name]) => COUNTERS.includes(name));
    this.add(Object.fromEntries(entries));
  }

  get all(): JsonObject {
    return Object.fromEntries(this.#facts);
  }
}

function joined(name: string, before: JsonValue, value: JsonValue): JsonValue {
  if (typeof before === "number" && typeof value === "number") {
    return name === "max_stack_depth" ? Math.max(before, value) : before + value;
  }
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (isObject(before) && isObject(value)) return { ...before, ...value };
  return value;
}
