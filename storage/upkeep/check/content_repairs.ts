import { QuarantineDirectory } from "../../content/directory/quarantine.ts";
import { makeDirectorySync, orMissingSync, syncDirectory, writeSynced } from "../../disk/files.ts";
import type { ContentUse, RecordAudit } from "../../tables/record_audit.ts";
import type { ObjectAudit } from "../../tables/object_audit.ts";
import { differenceOf, type DirectoryContents, type StoredContents } from "./stored_contents.ts";

/** Moves content that no server uses. Deletes nothing. */
export interface ContentRepairs {
  /** Moves content into quarantine. */
  quarantine(hashes: readonly string[]): Promise<void>;
  /** Moves intact content back from quarantine, if there is any. Returns whether there was. */
  restore(use: ContentUse): Promise<boolean>;
  /** Moves damaged content to `damaged/`. Returns false if it has to stay. */
  setAside(hash: string): Promise<boolean>;
}

/** Moves the content of a data directory. */
export class DirectoryRepairs implements ContentRepairs {
  readonly #directory: string;
  readonly #stored: DirectoryContents;
  readonly #quarantine: QuarantineDirectory;
  readonly #movesSmall: boolean;

  /** @param movesSmall Whether records can be without the row of their content. */
  constructor(dataDir: string, stored: DirectoryContents, movesSmall: boolean) {
    this.#directory = `${dataDir}/damaged`;
    this.#stored = stored;
    this.#movesSmall = movesSmall;
    this.#quarantine = new QuarantineDirectory(dataDir, {
      contents: stored.small,
      pathOf: (hash) => stored.pathOf(hash),
    });
  }

  async quarantine(hashes: readonly string[]): Promise<void> {
    await this.#quarantine.take(hashes, { contents: this.#stored.small });
  }

  async restore(use: ContentUse): Promise<boolean> {
    const { hash } = use;
    const { count } = await this.#quarantine.giveBack([hash]);
    if (count === 0) return false;
    if (await isIntact(this.#stored, use)) return true;
    await this.setAside(hash);
    return false;
  }

  async setAside(hash: string): Promise<boolean> {
    const bytes = await this.#stored.small.bytesOf(hash);
    if (bytes !== undefined && !this.#movesSmall) return false;
    makeDirectorySync(this.#directory);
    let target = `${this.#directory}/${hash}`;
    for (let copy = 1; orMissingSync(() => Deno.lstatSync(target)) !== undefined; copy++) {
      target = `${this.#directory}/${hash}.${copy}`;
    }
    if (bytes === undefined) await Deno.rename(this.#stored.pathOf(hash), target);
    else await writeSynced(target, bytes);
    await syncDirectory(this.#directory);
    if (bytes !== undefined) await this.#stored.small.remove([hash]);
    return true;
  }
}

/** Changes what the database has of content in objects, which stay where they are. */
export class ObjectRepairs implements ContentRepairs {
  readonly #audit: RecordAudit;
  readonly #objects: ObjectAudit;
  readonly #stored: StoredContents;

  constructor(audit: RecordAudit, objects: ObjectAudit, stored: StoredContents) {
    this.#audit = audit;
    this.#objects = objects;
    this.#stored = stored;
  }

  async quarantine(hashes: readonly string[]): Promise<void> {
    await this.#audit.quarantine(hashes);
  }

  async restore(use: ContentUse): Promise<boolean> {
    return await this.#objects.giveBack(use.hash) && await isIntact(this.#stored, use);
  }

  /** An upload of the same content takes its place. */
  setAside(): Promise<boolean> {
    return Promise.resolve(false);
  }
}

async function isIntact(stored: StoredContents, use: ContentUse): Promise<boolean> {
  const digest = await stored.digest(use.hash, () => {});
  return digest !== undefined && differenceOf(digest, use) === undefined;
}
