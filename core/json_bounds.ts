/** What a JSON document may hold at most. Parsing it takes memory for each, many times its bytes. */
export interface JsonBounds {
  /** Arrays and objects within one another. */
  readonly depth: number;
  /** Values of any kind. */
  readonly values: number;
  readonly objects: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Which of the bounds a JSON document in UTF-8 passes, before it is parsed. Of what is no JSON it tells
 * something, too.
 *
 * @returns what there is too much of, or undefined.
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
    if (depth > bounds.depth) return `more than ${bounds.depth} levels`;
    if (values > bounds.values) return `more than ${bounds.values} values`;
    if (objects > bounds.objects) return `more than ${bounds.objects} objects`;
  }
  return undefined;
}

/** Where the quote is that ends the string, or the end of the document. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
