import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../bytes/bytes.ts";
import { MalformedError } from "../malformed.ts";
import { formatBytes, KIB, MIB } from "../../../../schemas/units.ts";

const BLOCK_BYTES = 256 * KIB;
const MAX_LINE_BYTES = 16 * MIB;

/** A line of a text, in Latin-1 and without its end, and its offset in bytes. */
export interface Line {
  readonly text: string;
  readonly position: number;
}

/**
 * Reads a text line by line.
 *
 * @throws {MalformedError} at a line of more than 16 MiB.
 */
export function* readLines(source: ByteSource): Generator<Line, void, void> {
  let parts: string[] = [];
  let partBytes = 0;
  for (let start = 0; start < source.size; start += BLOCK_BYTES) {
    const block = decodeLatin1(source.read(start, BLOCK_BYTES));
    let at = 0;
    for (let end = block.indexOf("\n"); end >= 0; end = block.indexOf("\n", at)) {
      const line = parts.length === 0
        ? block.slice(at, end)
        : parts.join("") + block.slice(at, end);
      yield { text: withoutReturn(line), position: start + at - partBytes };
      parts = [];
      partBytes = 0;
      at = end + 1;
    }
    if (at < block.length) parts.push(block.slice(at));
    partBytes += block.length - at;
    if (partBytes > MAX_LINE_BYTES) {
      const message = `A line has more than ${formatBytes(MAX_LINE_BYTES)}`;
      throw new MalformedError("line_too_long", message, true);
    }
  }
  if (partBytes > 0) {
    yield { text: withoutReturn(parts.join("")), position: source.size - partBytes };
  }
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
