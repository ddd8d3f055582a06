import type { Hash } from "node:crypto";
import type { Checksum, Chunk, RunningChecksum } from "../../core/content.ts";
import type { UploadFile } from "./upload_file.ts";

/** A file that content is written to, with what is computed of it there. */
export interface OpenFile {
  readonly file: UploadFile;
  /** Undefined if nobody wants it: it takes longer than to write. */
  readonly sha256: Hash | undefined;
  readonly checksum: RunningChecksum;
}

/** What is known of an upload that has been written. */
export interface WrittenContent extends Checksum {
  readonly sha256: Chunk;
}

/** What is known of a part that has been written. */
export interface WrittenPart extends Checksum {
  /** Undefined if nobody wants it. */
  readonly sha256: Chunk | undefined;
}

/** Adds a chunk that was written to what is computed. */
export function update({ sha256, checksum }: OpenFile, chunk: Chunk): void {
  sha256?.update(chunk);
  checksum.update(chunk);
}

/** The same file, with what is computed of it so far. */
export function copyOf({ file, sha256, checksum }: OpenFile): OpenFile {
  return { file, sha256: sha256?.copy(), checksum: checksum.copy() };
}
