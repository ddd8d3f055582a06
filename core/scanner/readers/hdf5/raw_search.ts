import { Buffer } from "node:buffer";
import type { ByteSource } from "../../contract/source.ts";
import { MIB } from "../../../../schemas/units.ts";

const WORD = '"class_name"';
const CHUNK_BYTES = MIB;
/** How much of a file is searched. */
const MAX_BYTES = 512 * MIB;
const MAX_TEXTS = 100;
/** How far before the first class of a configuration its brace is looked for, and how long it may be. */
const LONGEST_START = 64 * 1024;
const LONGEST_TEXT = 16 * MIB;

/** A text in the midst of other bytes. */
export interface FoundText {
  readonly position: number;
  readonly bytes: Uint8Array;
}

/**
 * Searches the bytes of a file for texts of JSON with classes of Keras in them, wherever they lie: from
 * the first brace to the last one of a stretch that has no control characters.
 */
export function* findConfigs(source: ByteSource): Generator<FoundText, void, void> {
  const end = Math.min(source.size, MAX_BYTES);
  let texts = 0;
  for (let position = 0; position < end;) {
    const chunk = Buffer.from(source.read(position, CHUNK_BYTES + WORD.length));
    const hit = chunk.indexOf(WORD);
    if (hit < 0) {
      position += CHUNK_BYTES;
      continue;
    }
    const start = startOfText(source, position, position + hit);
    const bytes = textAt(source, start);
    yield { position: start, bytes };
    texts += 1;
    if (texts === MAX_TEXTS) return;
    position = Math.max(start + bytes.length, position + hit + WORD.length);
  }
}

const BRACE = "{".charCodeAt(0);
const END_BRACE = "}".charCodeAt(0);

function isText(byte: number): boolean {
  return byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function startOfText(source: ByteSource, earliest: number, word: number): number {
  const first = Math.max(earliest, word - LONGEST_START);
  const before = source.read(first, word - first);
  const stretch = before.findLastIndex((byte) => !isText(byte)) + 1;
  const brace = before.indexOf(BRACE, stretch);
  return brace < 0 ? word : first + brace;
}

function textAt(source: ByteSource, start: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let length = 0; length < LONGEST_TEXT;) {
    const chunk = source.read(start + length, CHUNK_BYTES);
    const end = chunk.findIndex((byte) => !isText(byte));
    parts.push(end < 0 ? chunk : chunk.subarray(0, end));
    length += chunk.length;
    if (end >= 0 || chunk.length < CHUNK_BYTES) break;
  }
  const bytes = Buffer.concat(parts);
  return bytes.subarray(0, bytes.lastIndexOf(END_BRACE) + 1);
}
