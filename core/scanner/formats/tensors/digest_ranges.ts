import { createHash, type Hash } from "node:crypto";
import { MIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import type { ByteRange } from "./located_tensor.ts";

/** What is read at once. */
const BLOCK_BYTES = MIB;

/** The SHA-256 of content and of parts of it, in lower-case hexadecimal. */
export interface RangeDigests {
  readonly sha256: string;
  /** In the order of the ranges; null for one that overlaps another, or ends after the content. */
  readonly digests: readonly (string | null)[];
}

/**
 * Digests content and parts of it in one pass, so that the work does not depend on what headers say. Equal ranges share
 * a digest, as tensors may share their elements.
 *
 * @throws whatever `source` throws, and an Error if the content is shorter than its size.
 */
export function digestRanges(
  source: ByteSource,
  ranges: readonly (ByteRange | undefined)[],
): RangeDigests {
  const pass = new Pass(source);
  const digests = new Array<string | null>(ranges.length).fill(null);
  const inOrder = ranges.entries()
    .flatMap(([index, range]) =>
      range === undefined || range.end > source.size ? [] : [{ index, ...range }]
    )
    .toArray()
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  let last: { readonly begin: number; readonly end: number; readonly digest: string } | undefined;
  for (const { index, begin, end } of inOrder) {
    if (last === undefined || begin !== last.begin || end !== last.end) {
      if (begin < pass.position) continue;
      pass.readTo(begin);
      const own = createHash("sha256");
      pass.readTo(end, own);
      last = { begin, end, digest: own.digest("hex") };
    }
    digests[index] = last.digest;
  }
  pass.readTo(source.size);
  return { sha256: pass.whole.digest("hex"), digests };
}

/** A pass over content, which is hashed as it is read. */
class Pass {
  readonly whole = createHash("sha256");
  position = 0;
  readonly #source: ByteSource;
  readonly #buffer: Uint8Array;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#buffer = new Uint8Array(Math.min(BLOCK_BYTES, source.size));
  }

  readTo(end: number, own?: Hash): void {
    while (this.position < end) {
      const bytes = this.#read(Math.min(BLOCK_BYTES, end - this.position));
      if (bytes.length === 0) throw new Error(`Content ends at ${this.position}, before ${end}`);
      this.whole.update(bytes);
      own?.update(bytes);
      this.position += bytes.length;
    }
  }

  #read(length: number): Uint8Array {
    const { readInto } = this.#source;
    if (readInto === undefined) return this.#source.read(this.position, length);
    const target = this.#buffer.subarray(0, length);
    return target.subarray(0, this.#source.readInto?.(this.position, target) ?? 0);
  }
}
