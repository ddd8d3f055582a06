/** How many arguments one call gets: far below what engines allow. */
const PIECE = 8192;

/** The bytes as characters U+0000 to U+00FF, so that a place in the text is a place in the bytes. */
export function decodeLatin1(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + PIECE)));
  }
  return pieces.join("");
}

/** What the characters of {@link decodeLatin1} say as UTF-8. */
export function utf8FromLatin1(text: string): string {
  // deno-lint-ignore no-control-regex -- whether all is ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}
