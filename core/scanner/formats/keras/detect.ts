import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Content } from "../../contract/scanner.ts";
import { withoutEscapes } from "./text.ts";
import { MIB } from "../../../../schemas/units.ts";

const CHUNK_BYTES = MIB;
const MAX_CHUNKS = 64;
/** What may lie on the border of two chunks: a word, with each of its letters escaped in UTF-32. */
const OVERLAP_BYTES = 1024;

const OBJECT = /^[\s\u00ef\u00bb\u00bf\u00fe\u00ff]*\{/;
const NOTHING_YET = /^[\s\u00ef\u00bb\u00bf\u00fe\u00ff]*$/;
const WORDS_OF_KERAS = /"class_name"|"keras_version"|enable_unsafe_deserialization/;

/**
 * Whether content is JSON that has objects of Keras in it, or the version of Keras, in any encoding of
 * it and under any name. Nothing is read of content that does not begin as an object of JSON.
 */
export function isKerasConfig({ source }: Content): boolean {
  // No encoding of JSON has four zeros in a row, and many files of weights begin with more.
  if (source.read(0, 4).every((byte) => byte === 0)) return false;
  let begun = false;
  for (let index = 0; index < MAX_CHUNKS && index * CHUNK_BYTES < source.size; index++) {
    const text = lettersOf(source, index * CHUNK_BYTES);
    if (!begun && !OBJECT.test(text)) {
      if (!NOTHING_YET.test(text)) return false;
      continue;
    }
    begun = true;
    if (WORDS_OF_KERAS.test(withoutEscapes(text))) return true;
  }
  return false;
}

/** A chunk as text without the zeros, in which all encodings of JSON read alike. */
function lettersOf(source: ByteSource, offset: number): string {
  const bytes = source.read(offset, CHUNK_BYTES + OVERLAP_BYTES);
  return decodeLatin1(bytes).replaceAll("\0", "");
}
