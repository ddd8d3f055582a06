/** The characters that the escape letters of a language stand for, by letter. */
export type EscapeLetters = Readonly<Record<string, string>>;

/** The letters after a backslash in JSON strings (RFC 8259, section 7), without `u`. */
export const JSON_ESCAPES: EscapeLetters = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** The letters after a backslash in Python literals, without the numeric escapes. */
export const PYTHON_ESCAPES: EscapeLetters = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

const ESCAPE = /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([^]))/g;

/**
 * Replaces the escapes of a YAML or TOML string: `\xHH`, `\uHHHH`, `\UHHHHHHHH` and those in `letters`.
 * Any other escaped character stands for itself. Code points above U+10FFFF become U+FFFD.
 *
 * @param maxCharacters Once the result is longer, the rest of the text is left out.
 */
export function unescape(text: string, letters: EscapeLetters, maxCharacters = Infinity): string {
  let result = "";
  let end = 0;
  for (const { 0: escape, 1: x, 2: u, 3: long, 4: plain = "", index } of text.matchAll(ESCAPE)) {
    result += text.slice(end, index) + unescaped(x ?? u ?? long, plain, letters);
    end = index + escape.length;
    if (result.length > maxCharacters) return result;
  }
  return result + text.slice(end);
}

function unescaped(hex: string | undefined, plain: string, letters: EscapeLetters): string {
  if (hex === undefined) return letters[plain] ?? plain;
  const code = parseInt(hex, 16);
  return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
}
