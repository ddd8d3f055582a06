import { blobDirectory } from "../../disk/data_directory.ts";
import type { Chunk } from "../../../core/content.ts";
import type { DamagedContent } from "../../../core/errors.ts";
import { orMissing, removeFile, syncDirectory } from "../../disk/files.ts";
import { HeldContent } from "./held_content.ts";
import { blobPath } from "../paths.ts";
import { holdsContent, type StagedBlobFile } from "../staged_blob_file.ts";

/** How often a file is moved whose directory disappears. */
const MAX_MOVES = 10;

/** The files below `blobs/`, one for each content, in directories by the first digits of the hash (C 12). */
export class BlobDirectory implements Disposable {
  /** The path of `blobs/`. */
  readonly root: string;
  readonly #held: HeldContent;
  /** Directories that are known to be durable, including every entry from the root to them. */
  readonly #durable = new Set<string>();

  /** @param dataDir The data directory, in which `blobs/` exists. */
  constructor(dataDir: string) {
    this.root = blobDirectory(dataDir);
    this.#held = new HeldContent(dataDir);
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  /** The path at which content is or would be stored. */
  pathOf(hash: string): string {
    return `${this.root}/${blobPath(hash)}`;
  }

  /**
   * Renames a staged file, or links one that is kept, to its final path, unless that content is stored already, and adds the
   * directories to sync for it. Returns whether it did.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when other content with the same hash is stored.
   */
  async publish(blob: StagedBlobFile, unsynced: Set<string>): Promise<boolean> {
    const path = this.pathOf(blob.hash);
    const isNew = !await blob.isDuplicateOf(path);
    if (isNew) {
      await this.#move(blob, path);
      blob.published = true;
    }
    this.#addUnsynced(path, unsynced);
    return isNew;
  }

  /** Moves a file to its path. Another transaction may remove the directory, which is empty, meanwhile. */
  async #move(blob: StagedBlobFile, path: string): Promise<void> {
    const fan = parentOf(path);
    for (let attempt = 1;; attempt++) {
      try {
        if (blob.isKept) await Deno.link(blob.path, path);
        else await Deno.rename(blob.path, path);
        return;
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound) || attempt === MAX_MOVES) throw error;
        await makeDirectories(fan);
      }
    }
  }

  /**
   * Whether a file holds this small content. If so, adds the directories to sync for it. Returns the
   * damage of a file that once did.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when a file holds other content with the same hash.
   */
  async holds(
    hash: string,
    bytes: Chunk,
    unsynced: Set<string>,
  ): Promise<boolean | DamagedContent> {
    const path = this.pathOf(hash);
    const held = await holdsContent(path, { hash, bytes });
    if (held === true) this.#addUnsynced(path, unsynced);
    return held;
  }

  /** Syncs directories that {@link publish} or {@link holds} added. */
  async sync(unsynced: ReadonlySet<string>): Promise<void> {
    await Promise.all([...unsynced].map(syncDirectory));
    for (const directory of unsynced) this.#durable.add(directory);
  }

  /** Removes the files of hashes, as far as there are any, and syncs their directories. */
  async remove(hashes: readonly string[]): Promise<void> {
    // Wait for all, even after a failure: a removal that outlives the transaction could delete
    // content that a later upload shares.
    const held = this.#held.needed;
    const outcomes = await Promise.allSettled(hashes.map((hash) => this.#remove(hash, held)));
    const changed = new Set<string>();
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") throw outcome.reason;
      if (outcome.value !== undefined) changed.add(outcome.value);
    }
    // One that is gone was removed from another one of these.
    await Promise.all([...changed].map((directory) => orMissing(syncDirectory(directory))));
  }

  /** Returns the directory that has changed; undefined if there was no file. */
  async #remove(hash: string, held: boolean): Promise<string | undefined> {
    const path = this.pathOf(hash);
    const fan = parentOf(path);
    let found: boolean;
    try {
      found = held ? await this.#held.take(hash, path) : await removeFile(path);
    } catch (error) {
      // A file is in the place of a directory, so there is nothing below it.
      if (error instanceof Deno.errors.NotADirectory) return undefined;
      throw error;
    }
    // First: a file that comes at the same time must have all directories synced.
    this.#durable.delete(fan);
    if (!await removeEmpty(fan)) return found ? fan : undefined;
    return await removeEmpty(parentOf(fan)) ? this.root : parentOf(fan);
  }

  /** The size of the file of a hash, or undefined if it does not exist. */
  async sizeOf(hash: string): Promise<number | undefined> {
    return (await orMissing(Deno.stat(this.pathOf(hash))))?.size;
  }

  /** Fails if no file can be moved here from a directory now. */
  async probe(temporary: string): Promise<void> {
    const name = crypto.randomUUID();
    try {
      await Deno.writeFile(`${temporary}/${name}`, new Uint8Array(1), {
        createNew: true,
        mode: 0o600,
      });
      await Deno.rename(`${temporary}/${name}`, `${this.root}/${name}`);
    } finally {
      await removeFile(`${temporary}/${name}`);
      await removeFile(`${this.root}/${name}`).catch((error) => {
        // If `blobs/` is a file there is nothing to remove, and the rename above reports it.
        if (!(error instanceof Deno.errors.NotADirectory)) throw error;
      });
    }
  }

  /**
   * Adds the directories to sync for a file that is there. Stored content needs them too: the upload that
   * published it may have failed before its sync.
   */
  #addUnsynced(path: string, unsynced: Set<string>): void {
    const fan = parentOf(path);
    unsynced.add(fan);
    if (!this.#durable.has(fan)) unsynced.add(parentOf(fan)).add(this.root);
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Creates a directory and that above it, with access for their owner only. */
async function makeDirectories(path: string): Promise<void> {
  // Another request may remove the upper one meanwhile: then the next attempt makes it again.
  await orMissing(Deno.mkdir(path, { recursive: true, mode: 0o700 }));
}

/** Removes a directory if it exists and is empty, and returns whether it did. */
async function removeEmpty(path: string): Promise<boolean> {
  try {
    await Deno.remove(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Error && "code" in error && error.code === "ENOTEMPTY") return false;
    throw error;
  }
}
