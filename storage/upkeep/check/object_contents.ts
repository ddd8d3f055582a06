import type { StoredFile } from "../../content/directory/blob_inventory.ts";
import { type ContentDigest, ContentHasher } from "../../content/hasher.ts";
import { S3Failure } from "../../content/objects/failures.ts";
import type { Bucket } from "../../content/objects/bucket.ts";
import { openObject } from "../../content/objects/object_reader.ts";
import type { ContentRow, ObjectAudit } from "../../tables/object_audit.ts";
import { digestOf, inTable, type StoredContents, unreadable } from "./stored_contents.ts";

/** How often content is looked up: another upload may have replaced its object. */
const MAX_LOOKUPS = 5;

/**
 * The content of a strongroom with an object store (C 23): in objects, and small content in the database.
 * `below` and `findAll` believe the database that an object is there.
 */
export class ObjectContents implements StoredContents {
  readonly #objects: ObjectAudit;
  readonly #bucket: Bucket;

  constructor(objects: ObjectAudit, bucket: Bucket) {
    this.#objects = objects;
    this.#bucket = bucket;
  }

  async below(prefix: string): Promise<Map<string, StoredFile | undefined>> {
    return byHash(await this.#objects.contentsBelow(prefix));
  }

  async findAll(hashes: readonly string[]): Promise<Map<string, StoredFile>> {
    return byHash(await this.#objects.contentsOf(hashes));
  }

  async find(hash: string): Promise<StoredFile | undefined> {
    for (let lookup = 1, former = ""; lookup <= MAX_LOOKUPS; lookup++) {
      const [row] = await this.#objects.contentsOf([hash]);
      if (row?.object === undefined) return row && toFile(row);
      if (row.object === former) return undefined;
      const size = await this.#bucket.sizeOf(row.object);
      if (size !== undefined) return toFile({ ...row, size });
      // An upload may have replaced the object meanwhile. It is deleted after that only.
      former = row.object;
    }
    return undefined;
  }

  /** The database has a row of each. */
  async known(hashes: readonly string[]): Promise<string[]> {
    return [...(await this.findAll(hashes)).keys()];
  }

  async digest(hash: string, onBytes: (bytes: number) => void): Promise<ContentDigest | undefined> {
    const file = await this.find(hash);
    if (file === undefined) return undefined;
    const bytes = await this.#objects.bytesOf(hash);
    if (bytes !== undefined) return digestOf(bytes, onBytes);
    const find = async () => (await this.#objects.contentsOf([hash]))[0]?.object;
    const range = { start: 0, end: file.size };
    const content = await openObject(this.#bucket, { key: file.identity, range, find }, () => {});
    if (content === undefined) return undefined;
    const hasher = new ContentHasher();
    try {
      for await (const chunk of content) {
        hasher.update(chunk);
        onBytes(chunk.length);
      }
    } catch (error) {
      // That the store does not answer says nothing about the content.
      if (error instanceof S3Failure) throw error;
      throw unreadable(hash, error);
    }
    return hasher.digest();
  }
}

function byHash(rows: readonly ContentRow[]): Map<string, StoredFile> {
  return new Map(rows.map((row) => [row.hash, toFile(row)]));
}

/** An object is known by its name, which is used once. */
function toFile(row: ContentRow): StoredFile {
  const { size, storedAt, object } = row;
  return object === undefined ? inTable(row) : { size, storedAt, identity: object };
}
