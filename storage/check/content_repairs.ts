import { makeDirectorySync, orMissingSync, syncDirectory, writeSynced } from "../disk/files.ts";
import { QuarantineDirectory } from "../blobs/quarantine.ts";
import type { StoredContents } from "./stored_contents.ts";

/** Moves the content of a data directory that no server uses. Deletes nothing. */
export class ContentRepairs {
  readonly #directory: string;
  readonly #stored: StoredContents;
  readonly #quarantine: QuarantineDirectory;

  constructor(dataDir: string, stored: StoredContents) {
    this.#directory = `${dataDir}/damaged`;
    this.#stored = stored;
    this.#quarantine = new QuarantineDirectory(dataDir, {
      contents: stored.small,
      pathOf: (hash) => stored.pathOf(hash),
    });
  }

  /** Moves content into quarantine. */
  async quarantine(hashes: readonly string[]): Promise<void> {
    await this.#quarantine.take(hashes, { contents: this.#stored.small });
  }

  /** Moves intact content back from quarantine, if there is any. Returns whether there was. */
  async restore(hash: string): Promise<boolean> {
    const { count } = await this.#quarantine.giveBack([hash]);
    if (count === 0) return false;
    const digest = await this.#stored.digest(hash, () => {});
    if (digest?.hash === hash) return true;
    await this.setAside(hash);
    return false;
  }

  /** Moves damaged content to `damaged/`. */
  async setAside(hash: string): Promise<void> {
    makeDirectorySync(this.#directory);
    let target = `${this.#directory}/${hash}`;
    for (let copy = 1; orMissingSync(() => Deno.lstatSync(target)) !== undefined; copy++) {
      target = `${this.#directory}/${hash}.${copy}`;
    }
    const bytes = this.#stored.small.bytesOf(hash);
    if (bytes === undefined) await Deno.rename(this.#stored.pathOf(hash), target);
    else await writeSynced(target, bytes);
    await syncDirectory(this.#directory);
    if (bytes !== undefined) await this.#stored.small.remove([hash]);
  }
}
