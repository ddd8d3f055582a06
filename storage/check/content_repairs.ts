import { makeDirectorySync, orMissingSync, syncDirectory } from "../disk/files.ts";
import type { BlobInventory } from "../blobs/blob_inventory.ts";
import { QuarantineDirectory } from "../blobs/quarantine.ts";

/** Moves the content of a data directory that no server uses. Deletes nothing. */
export class ContentRepairs {
  readonly #directory: string;
  readonly #inventory: BlobInventory;
  readonly #quarantine: QuarantineDirectory;

  constructor(dataDir: string, inventory: BlobInventory) {
    this.#directory = `${dataDir}/damaged`;
    this.#inventory = inventory;
    this.#quarantine = new QuarantineDirectory(dataDir, (hash) => inventory.pathOf(hash));
  }

  /** Moves content into quarantine. */
  async quarantine(hashes: readonly string[]): Promise<void> {
    await this.#quarantine.take(hashes);
  }

  /** Moves intact content back from quarantine, if there is any. Returns whether there was. */
  async restore(hash: string): Promise<boolean> {
    const { count } = await this.#quarantine.giveBack([hash]);
    if (count === 0) return false;
    const digest = await this.#inventory.digest(hash, () => {});
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
    await Deno.rename(this.#inventory.pathOf(hash), target);
    await syncDirectory(this.#directory);
  }
}
