const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A copy of a text for what is kept. A piece that was cut out of a text keeps the whole of it in
 * memory, in the engine that runs this. Halves of surrogate pairs become U+FFFD.
 */
export function detached(text: string): string {
  return decoder.decode(encoder.encode(text));
}
