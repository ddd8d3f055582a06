import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { AppError } from "../../core/errors.ts";
import type { StagedBlob } from "../../core/ports.ts";
import type { Digest } from "./content_tasks.ts";
import { orMissing, readFull, removeFile } from "../disk/files.ts";

/** Files are read in pieces of this size to be compared. */
const READ_BYTES = 256 * 1024;

/** Content that has been received into a file, and waits for its place. */
export class StagedFile implements StagedBlob {
  readonly hash: string;
  readonly size: number;
  readonly crc32: number;
  /** Whether the file has left for its place. */
  placed = false;
  /** The stored file that was seen to hold the same bytes. */
  #twin: string | undefined;

  constructor(readonly path: string, { hash, size, crc32 }: Digest) {
    this.hash = hash;
    this.size = size;
    this.crc32 = crc32;
  }

  /**
   * Whether the file stored under the same hash has the same bytes (C 6). False where there is none,
   * or where it is not what was stored once.
   *
   * @throws {AppError} `ErrResourcesInvalidData` where it is other content of the same hash.
   */
  async shares(storedPath: string): Promise<boolean> {
    const stored = await orMissing(Deno.open(storedPath));
    if (stored === undefined) return false;
    using _stored = stored;
    const identity = identityOf(await stored.stat());
    if (this.#twin === identity) return true;
    using file = await Deno.open(this.path);
    if (await sameContent(file, stored)) {
      this.#twin = identity;
      return true;
    }
    // A disk that fails may have changed it: then the staged content is the right one.
    if (await hashOf(stored) !== this.hash) return false;
    throw new AppError(
      "ErrResourcesInvalidData",
      `Cannot store content with the MD5 ${this.hash}: other content has the same one`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.placed) await removeFile(this.path);
  }
}

/** Tells a file from any other that may have come to its place. */
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

/** The MD5 of all of a file. */
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
