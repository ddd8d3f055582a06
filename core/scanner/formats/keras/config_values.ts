import { isObject } from "../../../../schemas/json.ts";

/** Where a configuration comes from. Its dangers depend on it. */
export interface ConfigOrigin {
  readonly kind: "config" | "h5" | "saved_model";
  /** The version of Keras that wrote the configuration, if it is known. */
  readonly kerasVersion?: string | undefined;
}

/** An object within a configuration. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** Yields all objects within a value, itself included, at any depth and in no particular order. */
export function* objectsIn(value: unknown): Generator<ConfigObject, void, void> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) pushAll(left, next);
    else if (isObject(next)) {
      yield next;
      pushAll(left, Object.values(next));
    }
  }
}

/**
 * The strings within a value, in breadth-first order. At most `limit` values are visited; `isCut` is
 * true if there are more.
 */
export function stringsIn(
  value: unknown,
  limit: number,
): { readonly strings: readonly string[]; readonly isCut: boolean } {
  const values: unknown[] = [value];
  const strings: string[] = [];
  let visited = 0;
  for (; visited < values.length && visited < limit; visited++) {
    const next = values[visited];
    if (typeof next === "string") strings.push(next);
    else if (Array.isArray(next)) pushAll(values, next.slice(0, limit));
    else if (isObject(next)) pushAll(values, Object.values(next).slice(0, limit));
  }
  return { strings, isCut: visited < values.length };
}

/** Pushes one by one, because a call cannot take millions of arguments. */
function pushAll(left: unknown[], values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value === "object" || typeof value === "string") left.push(value);
  }
}
