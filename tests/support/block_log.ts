/** A disk that logs its writes and syncs, so that tests can cut its power at any of them. */

import type { Random } from "./random.ts";
import { type ServedFile, serveFile } from "./fuse_file.ts";

const SECTOR_BYTES = 512;

/** A write, or a sync if it has no bytes. */
interface Entry {
  readonly offset: number;
  readonly bytes: Uint8Array | undefined;
}

/** The content of a disk and the log of its changes, both in memory. */
export class BlockLog implements ServedFile {
  readonly size: number;
  readonly #content: Uint8Array;
  readonly #entries: Entry[] = [];

  constructor(size: number) {
    this.size = size;
    this.#content = new Uint8Array(size);
  }

  /** The number of writes and syncs so far. */
  get position(): number {
    return this.#entries.length;
  }

  read(offset: number, length: number): Uint8Array {
    return this.#content.subarray(offset, offset + length);
  }

  write(offset: number, bytes: Uint8Array): void {
    this.#content.set(bytes, offset);
    this.#entries.push({ offset, bytes: bytes.slice() });
  }

  sync(): void {
    this.#entries.push({ offset: 0, bytes: undefined });
  }

  /** Serves the disk at a path until it is disposed of; undefined if this process may not. */
  async serve(path: string): Promise<AsyncDisposable | undefined> {
    await Deno.writeFile(path, new Uint8Array());
    return serveFile(path, this);
  }

  /**
   * Writes what a disk may hold whose power was lost at a position of the log: all that was written
   * before its last sync, and of each later write all, none or its first sectors.
   */
  async writeImage(path: string, position: number, random: Random): Promise<void> {
    using file = await Deno.open(path, { write: true, create: true, truncate: true });
    await file.truncate(this.size);
    const entries = this.#entries.slice(0, position);
    const synced = entries.findLastIndex(({ bytes }) => bytes === undefined);
    for (const [index, { offset, bytes }] of entries.entries()) {
      if (bytes === undefined) continue;
      const kept = index < synced ? bytes : bytes.subarray(0, keptBytes(bytes.length, random));
      await file.seek(offset, Deno.SeekMode.Start);
      for (let at = 0; at < kept.length;) at += await file.write(kept.subarray(at));
    }
  }
}

/** How much of a write that was not synced reached the disk. */
function keptBytes(length: number, random: Random): number {
  switch (random(4)) {
    case 0:
      return 0;
    case 1:
      return random(length / SECTOR_BYTES) * SECTOR_BYTES;
    default:
      return length;
  }
}
