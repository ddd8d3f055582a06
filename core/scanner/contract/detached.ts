const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Copies a text that is kept for long. V8 represents a slice as a reference to the text it was cut
 * from, and so keeps all of that in memory. Lone surrogates become U+FFFD.
 */
export function detached(text: string): string {
  return decoder.decode(encoder.encode(text));
}
