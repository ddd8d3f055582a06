import { KIB } from "../../../schemas/units.ts";

/** How much is read at once. */
const BLOCK_BYTES = 64 * KIB;
/** Longer lines are none of ours. */
const MAX_LINE_BYTES = 256 * KIB;
const NEWLINE = 0x0a;

const NOTHING = new Uint8Array();

/** A line without its line feed. */
export interface FoundLine {
  /** Undefined for the end of a line that is too long. What is before it in the line counts as empty. */
  readonly bytes: Uint8Array | undefined;
  /** Where it begins in the file. */
  readonly start: number;
}

/** The lines of a file that end before a byte, the last one first. The first one may be empty, or cut. */
export async function* linesBackward(file: Deno.FsFile, end: number): AsyncGenerator<FoundLine> {
  let tail: Uint8Array = NOTHING;
  let isTooLong = false;
  for (let position = end; position > 0;) {
    const start = Math.max(0, position - BLOCK_BYTES);
    const data = await readBefore(file, { start, end: position }, tail);
    let to = data.length;
    for (let at = lastNewline(data, to); at >= 0; at = lastNewline(data, to)) {
      yield { bytes: isTooLong ? NOTHING : data.subarray(at + 1, to), start: start + at + 1 };
      isTooLong = false;
      to = at;
    }
    tail = data.subarray(0, to);
    if (tail.length > MAX_LINE_BYTES) {
      // The reader learns that it goes on, and may stop here.
      yield { bytes: isTooLong ? NOTHING : undefined, start };
      tail = NOTHING;
      isTooLong = true;
    }
    position = start;
  }
  if (end > 0) yield { bytes: isTooLong ? NOTHING : tail, start: 0 };
}

async function readBefore(
  file: Deno.FsFile,
  { start, end }: { readonly start: number; readonly end: number },
  tail: Uint8Array,
): Promise<Uint8Array> {
  const data = new Uint8Array(end - start + tail.length);
  await file.seek(start, Deno.SeekMode.Start);
  for (let read = 0; read < end - start;) {
    const count = await file.read(data.subarray(read, end - start));
    if (count === null) throw new Error("The audit log was cut while it was read");
    read += count;
  }
  data.set(tail, end - start);
  return data;
}

function lastNewline(data: Uint8Array, before: number): number {
  return before === 0 ? -1 : data.lastIndexOf(NEWLINE, before - 1);
}
