import { AppError } from "../errors.ts";
import { formatBytes } from "../../schemas/units.ts";
import { remove } from "../tree/remove.ts";
import { directoryOf, type MirrorParts } from "./mirror.ts";
import type { FetchedFile } from "./store.ts";

/** How many files are given up at once. */
const MAX_FILES = 100;

/** The space of the mirror, in bytes. */
export interface SpaceUsage {
  readonly bytes: number;
  /** Those of revisions that are pinned. */
  readonly pinnedBytes: number;
  /** The most of all. It may be infinite. */
  readonly maxBytes: number;
}

/** Room for a file that comes in. Disposing of it ends that. */
export interface TakenRoom extends Disposable {
  /** Says that the tree has the file, and counts it. It is not given up before the end. */
  stored(): void;
}

/**
 * Bounds the space of the mirror (C 28): files that were asked for longest ago make way for others.
 * See docs/design/mirror.md.
 */
export class MirrorSpace {
  readonly #parts: Pick<MirrorParts, "tree" | "caller" | "store">;
  readonly #maxBytes: number;
  /** What comes in, and how many bytes of it the tree does not count yet. */
  readonly #coming = new Set<{ readonly path: string; bytes: number }>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Pick<MirrorParts, "tree" | "caller" | "store">, maxBytes: number) {
    this.#parts = parts;
    this.#maxBytes = maxBytes;
  }

  /** What files take, and the most that they may, in bytes. */
  async usage(): Promise<SpaceUsage> {
    const { tree, caller, store } = this.#parts;
    const { bytes } = await tree.records.usage({ userId: caller.userId, everyone: false });
    return { bytes, pinnedBytes: await store.pinnedBytes(), maxBytes: this.#maxBytes };
  }

  /**
   * Makes room for a file.
   *
   * @param path In the tree of the mirror.
   * @throws {AppError} `ErrResourcesQuotaExceeded` when there is none even so.
   */
  async take(path: string, bytes: number): Promise<TakenRoom> {
    const coming = { path, bytes };
    this.#coming.add(coming);
    const taken = {
      stored: () => {
        coming.bytes = 0;
      },
      [Symbol.dispose]: () => {
        this.#coming.delete(coming);
      },
    };
    const made = this.#last.then(() => this.#makeRoom());
    this.#last = made.catch(() => {});
    try {
      await made;
      return taken;
    } catch (error) {
      taken[Symbol.dispose]();
      throw error;
    }
  }

  async #makeRoom(): Promise<void> {
    const { tree, caller, store } = this.#parts;
    if (this.#comingBytes() > this.#maxBytes) throw this.#noRoom(0);
    for (;;) {
      const { bytes } = await tree.records.usage({ userId: caller.userId, everyone: false });
      let lacking = bytes + this.#comingBytes() - this.#maxBytes;
      if (lacking <= 0) return;
      // A file that waits for its scan is here, and about to be read.
      const kept = new Set([...this.#coming].map(({ path }) => path));
      const files = (await store.leastAsked(MAX_FILES + kept.size))
        .filter((file) => !kept.has(pathIn(file)));
      if (files.length === 0) throw this.#noRoom(bytes);
      for (const file of files) {
        if (lacking <= 0) break;
        lacking -= await this.#giveUp(file);
      }
    }
  }

  #comingBytes(): number {
    let sum = 0;
    for (const { bytes } of this.#coming) sum += bytes;
    return sum;
  }

  #noRoom(bytes: number): AppError {
    const [most, coming, kept] = [this.#maxBytes, this.#comingBytes(), bytes].map(formatBytes);
    return new AppError(
      "ErrResourcesQuotaExceeded",
      `The mirror has no room: it may have ${most}, while ${coming} come in and ${kept} are pinned or wait ` +
        "for their scans (STRONGROOM_MIRROR_MAX_BYTES)",
    );
  }

  /** Removes a file of the tree, without history. Returns how many bytes it had. */
  async #giveUp(file: FetchedFile): Promise<number> {
    const { tree, caller, store } = this.#parts;
    const path = pathIn(file);
    const scope = { userId: caller.userId, everyone: false };
    const record = (await tree.records.findByPath(scope, [path])).get(path);
    if (record !== undefined) await remove(tree, { caller, paths: [path], purges: true });
    await store.noteFetched(file.revision, file.path, undefined);
    return record?.size ?? 0;
  }
}

function pathIn(file: FetchedFile): string {
  return `${directoryOf(file)}/${file.path}`;
}
