/**
 * A text with its escapes undone, as strings of YAML and TOML have them: numbers of characters, and
 * letters that stand for some.
 *
 * @param letters What a letter stands for; another stands for itself.
 */
export function unescape(text: string, letters: Readonly<Record<string, string>>): string {
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
