import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Chunk } from "../../core/content.ts";
import { DamagedContent } from "../../core/errors.ts";
import type { StagedBlob } from "../../core/blob_store.ts";
import { forgedMd5 } from "./forged_md5.ts";
import { StagedContent } from "./staged_content.ts";
import type { ContentDigest } from "./hasher.ts";
import { orMissing, readFull, removeFile } from "../disk/files.ts";

/** Buffer size for comparing and hashing files. */
const READ_BYTES = 256 * 1024;

/** Content in a temporary file, not yet published. */
export class StagedBlobFile extends StagedContent implements StagedBlob {
  /** Whether the file has been renamed, to its final path or another one. */
  published = false;
  damage: DamagedContent | undefined;
  /** Identity of the stored file last found to hold the same bytes. */
  #verifiedDuplicate: string | undefined;

  /** Ends the announcement, once there is one. */
  announced: Disposable | undefined;

  /**
   * @param isKept Whether the file stays where it is, also when it is published under another name: the
   *   part of an upload that can be resumed is removed when its record has been committed (C 21).
   */
  constructor(
    readonly path: string,
    digest: ContentDigest,
    readonly isKept: boolean = false,
  ) {
    super(digest);
  }

  /**
   * Whether the file stored under the same hash holds the same bytes (C 6). Returns false if that
   * file is missing, or damaged: its bytes no longer have this hash.
   *
   * @throws {AppError} `ErrResourcesInvalidData` when the file holds other content with the same
   *   hash.
   */
  async isDuplicateOf(storedPath: string): Promise<boolean> {
    this.damage = undefined;
    const stored = await orMissing(Deno.open(storedPath));
    if (stored === undefined) return false;
    using _stored = stored;
    const identity = identityOf(await stored.stat());
    if (this.#verifiedDuplicate === identity) return true;
    using file = await Deno.open(this.path);
    if (await sameContent(file, stored)) {
      this.#verifiedDuplicate = identity;
      return true;
    }
    // A failing disk may have changed the stored file; the staged content replaces it.
    const found = await hashOf(stored);
    if (found === this.hash) throw forgedMd5(this.hash);
    this.damage = damagedContent(this.hash, found);
    return false;
  }

  /** Renames the temporary file to where it is kept. Its directory is not synced. */
  async moveTo(path: string): Promise<void> {
    await Deno.rename(this.path, path);
    this.published = true;
  }

  /** Removes the temporary file unless it was published. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.announced?.[Symbol.dispose]();
    if (!this.published && !this.isKept) await removeFile(this.path);
  }
}

/**
 * Whether a stored file holds small content (C 6); the damage, if its bytes no longer have this hash.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when the file holds other content with the same hash.
 */
export async function holdsContent(
  path: string,
  { hash, bytes }: { readonly hash: string; readonly bytes: Chunk },
): Promise<boolean | DamagedContent> {
  const stored = await orMissing(Deno.open(path));
  if (stored === undefined) return false;
  using _stored = stored;
  // One byte more shows that the file is longer.
  const found = await readFull(stored, new Uint8Array(bytes.length + 1));
  if (Buffer.compare(found, bytes) === 0) return true;
  const other = await hashOf(stored);
  if (other === hash) throw forgedMd5(hash);
  return damagedContent(hash, other);
}

/** The damage of content, with the MD5 that was found instead of its own. */
export function damagedContent(hash: string, found: string): DamagedContent {
  return new DamagedContent(hash, `MD5 ${hash}`, `MD5 ${found}`);
}

/** Distinguishes a file from any other that may replace it at the same path. */
function identityOf({ dev, ino, ctime }: Deno.FileInfo): string {
  return `${dev} ${ino} ${ctime?.getTime()}`;
}

async function sameContent(a: Deno.FsFile, b: Deno.FsFile): Promise<boolean> {
  const left = new Uint8Array(READ_BYTES);
  const right = new Uint8Array(READ_BYTES);
  for (;;) {
    const [fromA, fromB] = await Promise.all([readFull(a, left), readFull(b, right)]);
    if (Buffer.compare(fromA, fromB) !== 0) return false;
    if (fromA.length === 0) return true;
  }
}

/** The MD5 of the whole file. */
async function hashOf(file: Deno.FsFile): Promise<string> {
  const md5 = createHash("md5");
  const buffer = new Uint8Array(READ_BYTES);
  await file.seek(0, Deno.SeekMode.Start);
  for (let chunk = await readFull(file, buffer); chunk.length > 0;) {
    md5.update(chunk);
    chunk = await readFull(file, buffer);
  }
  return md5.digest("hex");
}
