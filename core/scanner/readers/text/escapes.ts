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
