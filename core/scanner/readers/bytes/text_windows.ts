import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "./bytes.ts";
import { MIB } from "../../../../schemas/units.ts";

const WINDOW = MIB;

/** No pattern that is looked for is longer. */
const OVERLAP = 16 * 1024;

/** A part of a text, with where it begins and how much of it is its own. */
export interface TextWindow {
  readonly text: string;
  readonly start: number;
  /** What begins here or later belongs to the next window. */
  readonly own: number;
}

/**
 * A text of any length in parts that overlap, each byte a character, so that what is looked for is
 * whole in one of them.
 */
export function* textWindows(source: ByteSource, limit: number): Generator<TextWindow, void, void> {
  const end = Math.min(source.size, limit);
  for (let start = 0; start < end; start += WINDOW) {
    const text = decodeLatin1(source.read(start, Math.min(WINDOW + OVERLAP, end - start)));
    yield { text, start, own: start + text.length >= end ? text.length : WINDOW };
  }
}
