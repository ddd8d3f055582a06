/** Values within values that are read of one text; the largest configs have a hundredth of it. */
const MAX_CONTAINERS = 2_000_000;

export type Parsed =
  | { readonly value: unknown }
  | { readonly fault: "malformed_json" | "json_value_limit" };

/** Reads JSON as Python does, which takes NaN and Infinity for numbers; throws nothing. */
export function parseJson(text: string): Parsed {
  if (containers(text) > MAX_CONTAINERS) return { fault: "json_value_limit" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return parseLenient(text);
  }
}

function parseLenient(text: string): Parsed {
  try {
    return { value: JSON.parse(withoutSpecialNumbers(text)) };
  } catch {
    return { fault: "malformed_json" };
  }
}

const BRACE = "{".charCodeAt(0);
const BRACKET = "[".charCodeAt(0);

function containers(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BRACE || code === BRACKET) count += 1;
  }
  return count;
}

function withoutSpecialNumbers(text: string): string {
  const parts: string[] = [];
  for (let position = 0; position < text.length;) {
    const quote = text.indexOf('"', position);
    const end = quote < 0 ? text.length : quote;
    parts.push(text.slice(position, end).replace(/\bNaN\b|-?\bInfinity\b/g, "null"));
    position = quote < 0 ? text.length : endOfString(text, quote);
    parts.push(text.slice(end, position));
  }
  return parts.join("");
}

/** Behind the quote that ends the string which begins with the quote at `start`. */
function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    if (text[position] === "\\") position += 1;
    else if (text[position] === '"') return position + 1;
  }
  return text.length;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** All objects within a value, itself included, however deep; in no particular order. */
export function* objectsIn(value: unknown): Generator<JsonObject, void, void> {
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
 * The strings within a value, those that are least deep first. No more than `limit` values are visited:
 * `isCut` says that there are more.
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

/** One by one: millions of arguments are more than a call takes. */
function pushAll(left: unknown[], values: readonly unknown[]): void {
  for (const value of values) {
    if (typeof value === "object" || typeof value === "string") left.push(value);
  }
}
