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

/**
 * Replaces the escapes of a YAML or TOML string: `\xHH`, `\uHHHH`, `\UHHHHHHHH` and those in `letters`.
 * Any other escaped character stands for itself. Code points above U+10FFFF become U+FFFD.
 */
export function unescape(text: string, letters: EscapeLetters): string {
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([^]))/g,
    (_, x?: string, u?: string, long?: string, plain = "") => {
      const hex = x ?? u ?? long;
      if (hex === undefined) return letters[plain] ?? plain;
      const code = parseInt(hex, 16);
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    },
  );
}
