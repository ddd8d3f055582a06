/** Limits of a JSON document. Parsing takes many times the memory of the text for each of these. */
export interface JsonBounds {
  /** Levels of nested arrays and objects. */
  readonly maxDepth: number;
  /** Values of any type. */
  readonly maxValues: number;
  readonly maxObjects: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Checks JSON in UTF-8 against limits before it is parsed. Accepts any bytes: invalid JSON is left to
 * the parser.
 *
 * @returns the exceeded limit, such as `more than 100 levels of nesting`, or undefined.
 */
export function exceededBound(json: Uint8Array, bounds: JsonBounds): string | undefined {
  let depth = 0;
  // Each value but the first of an array or object follows a comma.
  let values = 1;
  let objects = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at + 1);
        break;
      case OPEN_OBJECT:
        objects++;
        values++;
        depth++;
        break;
      case OPEN_ARRAY:
        values++;
        depth++;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth--;
        break;
      case COMMA:
        values++;
        break;
    }
    if (depth > bounds.maxDepth) return `more than ${bounds.maxDepth} levels of nesting`;
    if (values > bounds.maxValues) return `more than ${bounds.maxValues} values`;
    if (objects > bounds.maxObjects) return `more than ${bounds.maxObjects} objects`;
  }
  return undefined;
}

/** Returns the index of the closing quote, or the end of the document. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
