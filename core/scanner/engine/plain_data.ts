import { detached } from "../contract/detached.ts";
import type { JsonObject, JsonValue } from "../../../schemas/json.ts";

const MAX_DEPTH = 16;

/**
 * A value as JSON can hold it, the same after structured clone and after JSON. What JSON has no
 * values for becomes text: whole numbers beyond 2^53, infinities; bytes as hexadecimal. Functions and
 * what is undefined are left out. Deeper than 16 levels there is only `…`.
 */
function plainValue(value: unknown, depth = 0): JsonValue | undefined {
  switch (typeof value) {
    case "string":
      return detached(value);
    case "boolean":
      return value;
    case "number":
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

/** The own properties of an object as JSON can hold them; see {@link plainValue}. */
export function plainObject(value: object, depth = 0): JsonObject {
  // fromEntries defines properties, where assigning one that is named __proto__ would not.
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, it]: [string, unknown]) => {
      const plain = plainValue(it, depth + 1);
      return plain === undefined ? [] : [[key, plain] as const];
    }),
  );
}
