import type { Caller } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { joinPath, sanitizeDirectory, sanitizeFileName } from "../paths.ts";
import type { NewRecord, StagedBlob } from "../ports.ts";
import {
  type ChangeSet,
  changesOf,
  commit,
  sweep,
  type Tree,
  type UploadLimits,
} from "./changes.ts";
import { chainOf, missingDirectories } from "./directories.ts";

/** A file of an upload form, in the order of the form. */
export interface UploadPart {
  /** `files` is what RS 4.2 asks for; the first `file` stands in where there is none. */
  readonly field: "files" | "file";
  readonly filename: string;
  /** To be read before the next part is asked for; what is left unread is skipped. */
  readonly content: AsyncIterable<Chunk>;
}

export interface UploadRequest {
  readonly caller: Caller;
  readonly dir: string;
  readonly parts: AsyncIterable<UploadPart>;
}

interface StagedFile {
  readonly path: string;
  readonly blob: StagedBlob;
}

/**
 * Stores the files of a form below `dir`, all or none (RS 4.2, C 6). The changes hold the created
 * directories, then the files in the order of the form.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` for a bad directory, no file or a passed
 *   limit, `ErrResourcesInvalidData` for a bad name, `ErrResourcesAlreadyExists` where a path is taken.
 */
export async function upload(
  tree: Tree,
  { caller, dir, parts }: UploadRequest,
): Promise<ChangeSet> {
  const directory = sanitizeDirectory(dir);
  const { userId } = caller;
  await using staging = new AsyncDisposableStack();
  const files = await receive(parts, async (part, room) => {
    const file = await stageFile(tree, { directory, part, room });
    staging.use(file.blob);
    return file;
  }, tree.limits);
  refuseRepeated(files);
  const blobs = files.map((file) => file.blob);
  let placing = false;
  try {
    return await commit(tree, async (transaction) => {
      const now = Date.now();
      const chain = chainOf(directory);
      const owner = { userId, everyone: false };
      const found = await transaction.findByPath(owner, [
        ...chain,
        ...files.map(({ path }) => path),
      ]);
      const missing = missingDirectories({ userId, path: directory, now }, found);
      for (const { path } of files) {
        if (found.has(path)) throw alreadyExists(path, "a record has this path");
      }
      placing = true;
      await tree.blobs.publish(blobs, transaction);
      const added = await transaction.insert([
        ...missing,
        ...files.map((file) => newFile(file, { userId, now })),
      ]);
      return changesOf("added", added);
    });
  } catch (error) {
    if (placing) await sweep(tree, blobs.map((blob) => blob.hash));
    throw error;
  }
}

function newFile(
  { path, blob }: StagedFile,
  { userId, now }: { userId: number; now: number },
): NewRecord {
  return {
    userId,
    path,
    hash: blob.hash,
    size: blob.size,
    crc32: blob.crc32,
    isDir: false,
    createdAt: now,
    updatedAt: now,
  };
}

/** Stages a part; `room` is how many bytes the form may still hold. */
type Stage = (part: UploadPart, room: number) => Promise<StagedFile>;

/** Takes in the form in stream order: the first rule that a part breaks decides (C 6). */
async function receive(
  parts: AsyncIterable<UploadPart>,
  stage: Stage,
  limits: UploadLimits,
): Promise<StagedFile[]> {
  const { maxUploadFiles, maxUploadTotalSize } = limits;
  const files: StagedFile[] = [];
  let total = 0;
  let standIn: Promise<StagedFile> | undefined;
  for await (const part of parts) {
    // How a browser sends a file input that was left alone.
    if (part.filename === "" && await isEmpty(part.content)) continue;
    if (part.field === "file") {
      if (files.length > 0 || standIn !== undefined) continue;
      standIn = stage(part, maxUploadTotalSize);
      // Its refusal counts only where no `files` part follows, which is not known yet.
      await standIn.catch((error) => {
        if (!(error instanceof AppError)) throw error;
      });
      continue;
    }
    if (files.length === maxUploadFiles) {
      throw invalidRequest(`more than ${maxUploadFiles} files`);
    }
    const file = await stage(part, maxUploadTotalSize - total);
    total += file.blob.size;
    files.push(file);
  }
  if (files.length > 0) return files;
  const only = await standIn;
  if (only === undefined) throw invalidRequest("the form holds no file");
  return [only];
}

interface StageOptions {
  readonly directory: string;
  readonly part: UploadPart;
  readonly room: number;
}

async function stageFile(
  { blobs, limits }: Tree,
  { directory, part, room }: StageOptions,
): Promise<StagedFile> {
  const name = sanitizeFileName(part.filename);
  const path = joinPath(directory, name);
  const content = limited(part.content, (size) => {
    if (size > limits.maxUploadFileSize) {
      throw invalidRequest(`${quoted(name)} is larger than ${limits.maxUploadFileSize} bytes`);
    }
    if (size > room) {
      throw invalidRequest(
        `the files are larger than ${limits.maxUploadTotalSize} bytes together`,
      );
    }
  });
  return { path, blob: await blobs.stage(content) };
}

/** Passes content on; `check` is told how many bytes came so far and throws where it is too many. */
async function* limited(
  content: AsyncIterable<Chunk>,
  check: (size: number) => void,
): AsyncGenerator<Chunk> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    check(size);
    yield chunk;
  }
}

async function isEmpty(content: AsyncIterable<Chunk>): Promise<boolean> {
  for await (const chunk of content) {
    if (chunk.length > 0) return false;
  }
  return true;
}

function refuseRepeated(files: readonly StagedFile[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) throw alreadyExists(path, "the form holds it twice");
    seen.add(path);
  }
}

function invalidRequest(why: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot upload: ${why}`);
}

function alreadyExists(path: string, why: string): AppError {
  return new AppError("ErrResourcesAlreadyExists", `Cannot upload ${quoted(path)}: ${why}`);
}
