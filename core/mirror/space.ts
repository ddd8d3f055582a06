import { AppError } from "../errors.ts";
import { formatBytes } from "../../schemas/units.ts";
import { remove } from "../tree/remove.ts";
import { directoryOf, type MirrorParts } from "./mirror.ts";
import type { FetchedFile } from "./store.ts";

/** How many files are given up at once. */
const MAX_FILES = 100;

/**
 * Bounds the space of the mirror (C 28): files that were asked for longest ago make way for others.
 * See docs/design/mirror.md.
 */
export class MirrorSpace {
  readonly #parts: Pick<MirrorParts, "tree" | "caller" | "store">;
  readonly #maxBytes: number;
  /** What comes in, in bytes. */
  #coming = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Pick<MirrorParts, "tree" | "caller" | "store">, maxBytes: number) {
    this.#parts = parts;
    this.#maxBytes = maxBytes;
  }

  /**
   * Makes room for a file. Disposing of the result ends its fetch.
   *
   * @throws {AppError} `ErrResourcesQuotaExceeded` when there is none even so.
   */
  async take(bytes: number): Promise<Disposable> {
    this.#coming += bytes;
    const taken = new DisposableStack();
    taken.defer(() => {
      this.#coming -= bytes;
    });
    const made = this.#last.then(() => this.#makeRoom());
    this.#last = made.catch(() => {});
    try {
      await made;
      return taken;
    } catch (error) {
      taken.dispose();
      throw error;
    }
  }

  async #makeRoom(): Promise<void> {
    const { tree, caller, store } = this.#parts;
    if (this.#coming > this.#maxBytes) throw this.#noRoom(0);
    for (;;) {
      const { bytes } = await tree.records.usage({ userId: caller.userId, everyone: false });
      if (bytes + this.#coming <= this.#maxBytes) return;
      const files = await store.leastAsked(MAX_FILES);
      if (files.length === 0) throw this.#noRoom(bytes);
      let lacking = bytes + this.#coming - this.#maxBytes;
      for (const file of files) {
        if (lacking <= 0) break;
        lacking -= await this.#giveUp(file);
      }
    }
  }

  #noRoom(pinned: number): AppError {
    const [most, coming, kept] = [this.#maxBytes, this.#coming, pinned].map(formatBytes);
    return new AppError(
      "ErrResourcesQuotaExceeded",
      `The mirror has no room: it may have ${most}, while ${coming} come in and ${kept} are pinned ` +
        "(STRONGROOM_MIRROR_MAX_BYTES)",
    );
  }

  /** Removes a file of the tree, without history. Returns how many bytes it had. */
  async #giveUp(file: FetchedFile): Promise<number> {
    const { tree, caller, store } = this.#parts;
    const path = `${directoryOf(file)}/${file.path}`;
    const scope = { userId: caller.userId, everyone: false };
    const record = (await tree.records.findByPath(scope, [path])).get(path);
    if (record !== undefined) await remove(tree, { caller, paths: [path], purges: true });
    await store.noteFetched(file.revision, file.path, undefined);
    return record?.size ?? 0;
  }
}
