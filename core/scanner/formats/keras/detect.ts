import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { Content } from "../../contract/scanner.ts";
import { withoutEscapes } from "./text.ts";
import { MIB } from "../../../../schemas/units.ts";

const CHUNK_BYTES = MIB;
const MAX_CHUNKS = 64;
/** Most content shows here that it is not a JSON object. */
const HEAD_BYTES = 64;
/** Room for a word across two chunks, with every letter escaped and encoded in UTF-32. */
const OVERLAP_BYTES = 1024;

const OBJECT_START = /^[\s\u00ef\u00bb\u00bf\u00fe\u00ff]*\{/;
const BLANK = /^[\s\u00ef\u00bb\u00bf\u00fe\u00ff]*$/;
const KERAS_WORDS = /"class_name"|"keras_version"|enable_unsafe_deserialization/;

/**
 * Whether content is JSON that contains Keras objects or the Keras version, in any encoding and under
 * any name. Of content that does not start as a JSON object, only the start is read.
 */
export function isKerasConfig({ source }: Content): boolean {
  // No encoding of JSON has four zeros in a row, but many weight files start with them.
  if (source.read(0, 4).every((byte) => byte === 0)) return false;
  const head = readLetters(source, 0, HEAD_BYTES);
  if (!OBJECT_START.test(head) && !BLANK.test(head)) return false;
  let hasStarted = false;
  for (let index = 0; index < MAX_CHUNKS && index * CHUNK_BYTES < source.size; index++) {
    const text = readLetters(source, index * CHUNK_BYTES, CHUNK_BYTES + OVERLAP_BYTES);
    if (!hasStarted && !OBJECT_START.test(text)) {
      if (!BLANK.test(text)) return false;
      continue;
    }
    hasStarted = true;
    if (KERAS_WORDS.test(withoutEscapes(text))) return true;
  }
  return false;
}

/** Bytes as text without zeros, so that all encodings of JSON look alike. */
function readLetters(source: ByteSource, offset: number, length: number): string {
  return decodeLatin1(source.read(offset, length)).replaceAll("\0", "");
}
