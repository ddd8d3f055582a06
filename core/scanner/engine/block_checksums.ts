import { crc32 } from "node:zlib";
import { KIB } from "../../../schemas/units.ts";
import type { ByteSource } from "../contract/source.ts";
import { ChecksumShift } from "./checksum_shift.ts";

/** Members begin and end within blocks: those parts are read a second time. */
export const BLOCK_BYTES = 256 * KIB;

const PAST_BLOCK = new ChecksumShift(BLOCK_BYTES);

/**
 * A source that knows the CRC-32 of each block from an earlier pass, so that the checksum of a large
 * member takes no second pass over it.
 */
export class ChecksummedSource implements ByteSource {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #blocks: readonly number[];

  /** @param blocks CRC-32 of each block of `BLOCK_BYTES`, without the last one if it is shorter. */
  constructor(source: ByteSource, blocks: readonly number[]) {
    this.#source = source;
    this.#blocks = blocks;
    this.size = source.size;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#source.read(offset, length);
  }

  crc32(offset: number, length: number): number | undefined {
    const first = Math.ceil(offset / BLOCK_BYTES);
    const end = Math.floor((offset + length) / BLOCK_BYTES);
    if (first >= end || end > this.#blocks.length) return undefined;
    let checksum = crc32(this.read(offset, first * BLOCK_BYTES - offset));
    for (const block of this.#blocks.slice(first, end)) {
      checksum = PAST_BLOCK.apply(checksum) ^ block;
    }
    const rest = end * BLOCK_BYTES;
    return crc32(this.read(rest, offset + length - rest), checksum >>> 0);
  }
}
