import { GIB, KIB, MIB } from "../../schemas/units.ts";
import { makeDirectorySync, orMissingSync } from "./files.ts";
import { FreeSpace } from "./free_space.ts";

/** With more space than this there is no ballast. */
const AMPLE_BYTES = GIB;
const PIECES = 8;
const MAX_PIECE_BYTES = MIB;
/** The share of the reserve that the ballast takes. The rest is for uploads in flight and records. */
const SHARE_OF_RESERVE = 1 / 4;
/** The shortest time between two attempts to fill the ballast, which may fail under a quota. */
const FILL_INTERVAL_MS = 10_000;
/** A file system may refuse a larger write as a whole, although it has space for a part. */
const BLOCK_BYTES = 16 * KIB;

/** The size of one of its files, in bytes. */
function pieceBytesOf(reserveBytes: number): number {
  return Math.min(MAX_PIECE_BYTES, Math.floor(reserveBytes * SHARE_OF_RESERVE / PIECES));
}

/** The free space below which a disk is nearly full, in bytes: that which the ballast takes. */
export function nearlyFullBytes(reserveBytes: number): number {
  return pieceBytesOf(reserveBytes) * PIECES;
}

/**
 * Files that only take space, while the disk has little. They are removed one after the other as it
 * gets full, whatever fills it, so that the database has room for its log: deletions free space, but
 * need some first. Calls block their thread.
 * See docs/design/full_disk.md.
 */
export class Ballast {
  readonly #directory: string;
  readonly #pieceBytes: number;
  readonly #reserveBytes: number;
  readonly #space: FreeSpace;
  #held: number;
  #filledAt = -Infinity;

  /** @param reserveBytes The space that uploads leave free; 0 for no ballast. */
  constructor(dataDir: string, reserveBytes: number) {
    this.#directory = `${dataDir}/ballast`;
    this.#reserveBytes = reserveBytes;
    this.#pieceBytes = pieceBytesOf(reserveBytes);
    this.#space = new FreeSpace(dataDir);
    this.#held = this.#pieces().length;
  }

  /**
   * Removes a piece if the disk is full, and restores all if that leaves the reserve free. Returns
   * whether the disk is nearly full.
   */
  adjust(): boolean {
    if (this.#pieceBytes === 0 && this.#held === 0) return false;
    if (this.#space.has(AMPLE_BYTES)) {
      this.release();
      return false;
    }
    const whole = this.#pieceBytes * PIECES;
    if (!this.#space.has(whole)) {
      if (!this.#space.has(this.#pieceBytes)) this.release(1);
      return true;
    }
    if (
      this.#held < PIECES && whole > 0 &&
      performance.now() - this.#filledAt > FILL_INTERVAL_MS &&
      this.#space.has(this.#reserveBytes + whole)
    ) this.fill();
    return false;
  }

  /** Removes some of the pieces, or all, and returns how many. */
  release(count = PIECES): number {
    if (this.#held === 0) return 0;
    const pieces = this.#pieces();
    const released = pieces.slice(0, count);
    for (const piece of released) orMissingSync(() => Deno.removeSync(piece));
    this.#held = pieces.length - released.length;
    if (this.#held === 0) orMissingSync(() => Deno.removeSync(this.#directory));
    return released.length;
  }

  /** Takes what space there is, unless it is ample. Call at a stop, which removes the log. */
  keep(): void {
    if (!this.#space.has(AMPLE_BYTES)) this.fill();
  }

  /** Restores the pieces as far as the disk has space. The last one may be a part. */
  fill(): void {
    this.#filledAt = performance.now();
    if (this.#pieceBytes === 0) return;
    // Random bytes: a file system may compress others.
    const noise = crypto.getRandomValues(new Uint8Array(BLOCK_BYTES));
    try {
      makeDirectorySync(this.#directory);
      for (let index = 0; index < PIECES; index++) {
        const path = `${this.#directory}/${index}`;
        using file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
        let missing = this.#pieceBytes - file.seekSync(0, Deno.SeekMode.End);
        while (missing > 0) missing -= file.writeSync(noise.subarray(0, missing));
      }
    } catch {
      // The disk has less space than it seemed.
    }
    this.#held = this.#pieces().length;
  }

  /** The paths of the pieces that exist. */
  #pieces(): string[] {
    const entries = orMissingSync(() => [...Deno.readDirSync(this.#directory)]) ?? [];
    return entries.map(({ name }) => `${this.#directory}/${name}`);
  }
}
