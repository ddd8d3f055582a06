import { nearlyFullBytes } from "./ballast.ts";
import { FreeSpace } from "./free_space.ts";
import { storageFull } from "./storage_full.ts";

/** Makes room on a disk, while a number of bytes is lacking. */
export type GiveWay = (lacking: () => number) => Promise<void>;

/** The room for uploads on a disk: what is free beyond the reserve. */
export class Room {
  readonly #space: FreeSpace;
  readonly #reserveBytes: number;
  /** Asked to make room before content is refused. @default nothing can */
  giveWay: GiveWay | undefined;

  /**
   * @param path Any path on the file system.
   * @param reserveBytes The space that uploads leave free.
   */
  constructor(path: string, reserveBytes: number) {
    this.#space = new FreeSpace(path);
    this.#reserveBytes = reserveBytes;
  }

  /** How many bytes are lacking before so many more can be written; 0 if none. */
  lacking(bytes: number): number {
    const needed = this.#reserveBytes + bytes;
    return this.#space.has(needed) ? 0 : Math.max(needed - this.#space.bytes, 0);
  }

  /**
   * Waits until there is room for so many bytes, if anything can make it.
   *
   * @throws {AppError} `ErrInternal` when the storage is full.
   */
  require(bytes = 0): void | Promise<void> {
    if (this.lacking(bytes) === 0) return;
    if (this.giveWay === undefined) throw storageFull();
    return this.#await(bytes, this.giveWay);
  }

  async #await(bytes: number, giveWay: GiveWay): Promise<void> {
    await giveWay(() => this.lacking(bytes));
    if (this.lacking(bytes) > 0) throw storageFull();
  }

  /** The size of the disk, in bytes. */
  get diskBytes(): number {
    return this.#space.total;
  }

  /** Whether so little is free that changes of records may find no room. */
  get isNearlyFull(): boolean {
    return !this.#space.has(nearlyFullBytes(this.#reserveBytes));
  }

  /** How many bytes are lacking before what is free is not near the reserve: as much again. */
  get lackingNear(): number {
    return this.lacking(this.#reserveBytes);
  }
}
