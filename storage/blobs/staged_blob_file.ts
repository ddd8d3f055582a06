import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { AppError, DamagedContent } from "../../core/errors.ts";
import type { StagedBlob } from "../../core/ports.ts";
import type { Digest } from "./content_tasks.ts";
import { orMissing, readFull, removeFile } from "../disk/files.ts";

/** Buffer size for comparing and hashing files. */
const READ_BYTES = 256 * 1024;

/** Content in a temporary file, not yet published. */
export class StagedBlobFile implements StagedBlob {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  /** Whether the file has been renamed to its final path. */
  published = false;
  damage: DamagedContent | undefined;
  /** Identity of the stored file last found to hold the same bytes. */
  #verifiedDuplicate: string | undefined;

  constructor(readonly path: string, { hash, size, crc32 }: Digest) {
    this.hash = hash;
    this.size = size;
    this.crc32 = crc32;
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
    if (found !== this.hash) {
      this.damage = new DamagedContent(this.hash, `MD5 ${this.hash}`, `MD5 ${found}`);
      return false;
    }
    throw new AppError(
      "ErrResourcesInvalidData",
      `Cannot store content with MD5 ${this.hash}: its MD5 may be forged`,
    );
  }

  /** Removes the temporary file unless it was published. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.published) await removeFile(this.path);
  }
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
