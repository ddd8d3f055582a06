const UTF_8 = new TextDecoder();

/** Decodes the bytes that `decodeLatin1` made a text of as UTF-8. Browsers run this as well. */
export function utf8FromLatin1(text: string): string {
  // deno-lint-ignore no-control-regex -- matches ASCII, which needs no decoding
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return UTF_8.decode(bytes);
}
