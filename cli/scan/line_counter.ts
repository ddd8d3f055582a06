import { MIB } from "../../schemas/units.ts";

const BLOCK_BYTES = MIB;
const LINE_FEED = 0x0a;
/** Texts are searched up to here; positions after it have no line. */
const MAX_BLOCKS = 64;

/** Finds the lines of byte positions in files. It remembers how many lines precede each block. */
export class LineCounter {
  readonly #byPath = new Map<string, number[]>();

  /**
   * The line of a position, counted from 1. Undefined for a binary file, which has a zero byte before
   * the position, and for one that cannot be read any more.
   */
  lineOf(path: string, position: number): number | undefined {
    const block = Math.floor(position / BLOCK_BYTES);
    if (block >= MAX_BLOCKS) return undefined;
    try {
      using file = Deno.openSync(path);
      return this.#count(file, path, block, position - block * BLOCK_BYTES);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) {
        return undefined;
      }
      throw error;
    }
  }

  #count(file: Deno.FsFile, path: string, block: number, bytes: number): number | undefined {
    const before = this.#byPath.get(path) ?? [0];
    this.#byPath.set(path, before);
    for (let known = before.length - 1; known < block; known++) {
      const lines = linesIn(file, known * BLOCK_BYTES, BLOCK_BYTES);
      if (lines === undefined) return undefined;
      before.push((before[known] ?? 0) + lines);
    }
    const lines = linesIn(file, block * BLOCK_BYTES, bytes);
    return lines === undefined ? undefined : 1 + (before[block] ?? 0) + lines;
  }
}

/** The line feeds in a part of a file; undefined if it is shorter or binary. */
function linesIn(file: Deno.FsFile, start: number, length: number): number | undefined {
  const bytes = new Uint8Array(length);
  file.seekSync(start, Deno.SeekMode.Start);
  for (let filled = 0; filled < length;) {
    const read = file.readSync(bytes.subarray(filled));
    if (read === null) return undefined;
    filled += read;
  }
  if (bytes.includes(0)) return undefined;
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}
