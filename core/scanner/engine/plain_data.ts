import type { JsonObject, JsonValue } from "../../../schemas/json.ts";
import { detached } from "../contract/detached.ts";

const MAX_DEPTH = 16;

/**
 * Converts a value to one that structured clone and JSON leave unchanged. Values that JSON lacks become
 * text: integers beyond 2^53, infinities; bytes become hexadecimal. Functions and undefined values are
 * dropped. Below 16 levels, structures become `…`.
 */
function plainValue(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return detached(value);
    case "boolean":
      return value;
    case "number":
      // Adding 0 turns -0, which JSON lacks, into 0.
      return Number.isFinite(value) ? value + 0 : String(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "object":
      return value === null ? null : plainStructure(value, depth);
    default:
      return undefined;
  }
}

function plainStructure(value: object, depth: number): JsonValue {
  if (depth >= MAX_DEPTH) return "…";
  if (value instanceof Uint8Array) return value.toHex();
  if (Array.isArray(value)) {
    return Array.from(value, (it: unknown) => plainValue(it, depth + 1) ?? null);
  }
  return plainObject(value, depth);
}

/** Converts an object's own properties; see {@link plainValue}. */
export function plainObject(value: object, depth = 0): JsonObject {
  // fromEntries defines properties; assigning one named __proto__ would set the prototype instead.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, it]: [string, unknown]) => {
      const plain = plainValue(it, depth + 1);
      return plain === undefined ? [] : [[key, plain] as const];
    }),
  );
}
