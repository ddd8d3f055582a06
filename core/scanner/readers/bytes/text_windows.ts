import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "./bytes.ts";
import { KIB, MIB } from "../../../../schemas/units.ts";

const WINDOW_BYTES = MIB;

/** No pattern to search for matches more than this. */
const OVERLAP_BYTES = 16 * KIB;

/** A part of a text that overlaps the next one. */
export interface TextWindow {
  readonly text: string;
  /** The offset of the window in the source, in bytes. */
  readonly start: number;
  /** A match at this index or later belongs to the next window. */
  readonly ownLength: number;
}

/**
 * Reads a text of any length as Latin-1 in overlapping windows, so that each match of a pattern is whole
 * in one of them.
 *
 * @param limit The number of bytes to read at most.
 */
export function* textWindows(source: ByteSource, limit: number): Generator<TextWindow, void, void> {
  const end = Math.min(source.size, limit);
  for (let start = 0; start < end; start += WINDOW_BYTES) {
    const text = decodeLatin1(
      source.read(start, Math.min(WINDOW_BYTES + OVERLAP_BYTES, end - start)),
    );
    yield { text, start, ownLength: start + text.length >= end ? text.length : WINDOW_BYTES };
  }
}
