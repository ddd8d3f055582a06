/** A value that JSON can represent. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** An object that JSON can represent. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Whether a parsed JSON value is an object and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
