/** Values within values that are read of one text; the largest configs have a hundredth of it. */
const MAX_CONTAINERS = 2_000_000;

/** What a text was read as, or why it was not. */
export type LenientlyParsed =
  | { readonly value: unknown }
  | { readonly fault: "malformed_json" | "json_value_limit" };

/**
 * Reads JSON as Python does, which takes NaN and Infinity for numbers, and the last value of a key that
 * is there twice; throws nothing. The strict `parse_json.ts` is slower, and stops at a depth that
 * configurations with models within models reach: what must not depend on a reader, as the header of
 * a file, is read there.
 */
export function parseLenientJson(text: string): LenientlyParsed {
  if (containers(text) > MAX_CONTAINERS) return { fault: "json_value_limit" };
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
