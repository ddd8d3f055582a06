import { Buffer } from "node:buffer";
import type { ByteSource } from "../../contract/source.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";
import { concatBytes } from "../bytes/bytes.ts";

const CHUNK_BYTES = MIB;
/** How much of a source is searched. */
const MAX_SEARCHED_BYTES = 512 * MIB;
const MAX_TEXTS = 100;
/** The opening brace of a text is searched for this far before the word. */
const MAX_LEAD_BYTES = 64 * KIB;
const MAX_TEXT_BYTES = 16 * MIB;

/** A text among other bytes. */
export interface FoundText {
  /** Its offset in the source. */
  readonly position: number;
  readonly bytes: Uint8Array;
}

/**
 * Searches the raw bytes of a source for JSON objects that contain an ASCII word. A found text runs from
 * the first to the last brace of a stretch without control characters, and need not be valid JSON.
 */
export function* findJsonTexts(
  source: ByteSource,
  word: string,
): Generator<FoundText, void, void> {
  const end = Math.min(source.size, MAX_SEARCHED_BYTES);
  let texts = 0;
  for (let position = 0; position < end;) {
    const { buffer, byteOffset, length } = source.read(position, CHUNK_BYTES + word.length);
    const hit = Buffer.from(buffer, byteOffset, length).indexOf(word);
    if (hit < 0) {
      position += CHUNK_BYTES;
      continue;
    }
    const start = startOfText(source, position, position + hit);
    const bytes = textAt(source, start);
    yield { position: start, bytes };
    texts += 1;
    if (texts === MAX_TEXTS) return;
    position = Math.max(start + bytes.length, position + hit + word.length);
  }
}

const OPENING_BRACE = "{".charCodeAt(0);
const CLOSING_BRACE = "}".charCodeAt(0);

function isText(byte: number): boolean {
  return byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function startOfText(source: ByteSource, earliest: number, word: number): number {
  const first = Math.max(earliest, word - MAX_LEAD_BYTES);
  const before = source.read(first, word - first);
  const stretch = before.findLastIndex((byte) => !isText(byte)) + 1;
  const brace = before.indexOf(OPENING_BRACE, stretch);
  return brace < 0 ? word : first + brace;
}

function textAt(source: ByteSource, start: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let length = 0; length < MAX_TEXT_BYTES;) {
    const chunk = source.read(start + length, CHUNK_BYTES);
    const end = chunk.findIndex((byte) => !isText(byte));
    parts.push(end < 0 ? chunk : chunk.subarray(0, end));
    length += chunk.length;
    if (end >= 0 || chunk.length < CHUNK_BYTES) break;
  }
  const bytes = concatBytes(parts);
  return bytes.subarray(0, bytes.lastIndexOf(CLOSING_BRACE) + 1);
}
