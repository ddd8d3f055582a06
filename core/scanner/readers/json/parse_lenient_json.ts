/** Arrays and objects in one text. The largest configurations have a hundredth of this. */
const MAX_CONTAINERS = 2_000_000;

/** The parsed value, or why there is none. */
export type LenientlyParsed =
  | { readonly value: unknown }
  | { readonly fault: "malformed_json" | "json_value_limit" };

/**
 * Parses JSON into a value as Python's `json` does, for configurations: the last occurrence of a
 * repeated key wins, and NaN and Infinity are accepted, here as null. Never throws.
 *
 * `parseStrictJson` is slower, and stops at a depth that configurations of nested models reach. Use it
 * where parsers must not disagree, as in the header of a file.
 */
export function parseLenientJson(text: string): LenientlyParsed {
  if (countContainers(text) > MAX_CONTAINERS) return { fault: "json_value_limit" };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return parseWithSpecialNumbers(text);
  }
}

function parseWithSpecialNumbers(text: string): LenientlyParsed {
  try {
    return { value: JSON.parse(withoutSpecialNumbers(text)) };
  } catch {
    return { fault: "malformed_json" };
  }
}

const BRACE = "{".charCodeAt(0);
const BRACKET = "[".charCodeAt(0);

function countContainers(text: string): number {
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

/** The index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position++) {
    if (text[position] === "\\") position += 1;
    else if (text[position] === '"') return position + 1;
  }
  return text.length;
}
