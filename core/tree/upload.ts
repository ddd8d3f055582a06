import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { asError } from "../log.ts";
import { joinPath, refuseDeep, sanitizeDirectory, sanitizeFileName } from "../paths.ts";
import type { StagedBlob } from "../blob_store.ts";
import type { NewRecord, WriteTransaction } from "../ports.ts";
import { type ChangeSet, changesOf, commit, type Tree, type UploadLimits } from "./changes.ts";
import { contentWithinQuota, withinQuota } from "./quota.ts";
import { chainOf, missingDirectories } from "./directories.ts";

/** A file part of an upload form. */
export interface UploadPart {
  /** The field name (RS 4.2): the first `file` counts only in a form without `files`. */
  readonly field: "files" | "file";
  readonly filename: string;
  /**
   * Read it before requesting the next part; unread content is skipped. The memory of each chunk is the
   * reader's.
   */
  readonly content: AsyncIterable<Chunk>;
}

/** A request to store the files of a form (RS 4.2). */
export interface UploadRequest {
  readonly caller: Caller;
  /** As the client wrote it; blank is the root. */
  readonly dir: string;
  readonly parts: AsyncIterable<UploadPart>;
}

/** A file whose content is staged and not yet part of the tree. */
interface UploadedFile {
  readonly path: string;
  readonly blob: StagedBlob;
}

/**
 * Stores the files of a form in `dir`, all or none (RS 4.2, C 6). The changes are the new directories,
 * then the files in the order of the form.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the directory is invalid, the form has no file
 *   or a limit is exceeded, `ErrResourcesInvalidData` when a file name is invalid,
 *   `ErrResourcesAlreadyExists` when a path is taken.
 */
export async function upload(
  tree: Tree,
  { caller, dir, parts }: UploadRequest,
): Promise<ChangeSet> {
  const directory = sanitizeDirectory(dir);
  refuseDeep(directory);
  const userId = ownerOf(caller);
  await using staging = new AsyncDisposableStack();
  /** Announced content that does not become part of the tree. */
  const unused = new Set<string>();
  // Runs last.
  staging.defer(() => tree.sweeper.add([...unused]));
  const files = await readForm(parts, async (part, remainingBytes) => {
    const file = await stageFile(tree, { caller, directory, part, remainingBytes });
    staging.defer(() => discard(tree, file.blob));
    return file;
  }, tree.limits);
  refuseRepeated(files);
  const blobs = files.map((file) => file.blob);
  for (const { hash } of blobs) unused.add(hash);
  await tree.blobs.announce(blobs);
  try {
    const work = async (transaction: WriteTransaction) => {
      const now = Date.now();
      const chain = chainOf(directory);
      const owner = { userId, everyone: false };
      const found = await transaction.findByPath(owner, [
        ...chain,
        ...files.map(({ path }) => path),
      ]);
      const missing = missingDirectories({ userId, path: directory, now }, found);
      for (const { path } of files) {
        if (found.has(path)) throw alreadyExists(path, "it exists");
      }
      const records = [...missing, ...files.map((file) => newFile(file, { userId, now }))];
      // Both are on their way to the database at once. None may go on after the work has failed.
      const [published, added] = await Promise.allSettled([
        tree.blobs.publish(blobs, transaction),
        transaction.insert(records),
      ]);
      if (published.status === "rejected") throw published.reason;
      if (added.status === "rejected") throw added.reason;
      return changesOf("added", added.value);
    };
    const changes = await commit(
      tree,
      (transaction) =>
        withinQuota(tree, { caller, verb: "upload", transaction }, () => work(transaction)),
    );
    for (const { damage, hash } of blobs) {
      if (damage !== undefined) tree.damage.reportRepair(damage);
      unused.delete(hash);
    }
    return changes;
  } catch (error) {
    for (const { damage } of blobs) if (damage !== undefined) tree.damage.report(damage);
    throw error;
  }
}

/** Discards staged content. If that fails, the outcome of the upload stays what it is. */
async function discard({ log }: Tree, blob: StagedBlob): Promise<void> {
  try {
    await blob[Symbol.asyncDispose]();
  } catch (error) {
    log.warn("Cannot remove a temporary file", { error: asError(error) });
  }
}

function newFile(
  { path, blob }: UploadedFile,
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

/** Stages the content of a part, of which the form may have `remainingBytes` at most. */
type Stage = (part: UploadPart, remainingBytes: number) => Promise<UploadedFile>;

/** Reads the form in stream order; the first violation is reported (C 6). */
async function readForm(
  parts: AsyncIterable<UploadPart>,
  stage: Stage,
  limits: UploadLimits,
): Promise<UploadedFile[]> {
  const { maxUploadFiles, maxUploadTotalSize } = limits;
  const files: UploadedFile[] = [];
  let total = 0;
  let substitute: Promise<UploadedFile> | undefined;
  for await (const part of parts) {
    // A browser sends an empty file input like this.
    if (part.filename === "" && await isEmpty(part.content)) continue;
    if (part.field === "file") {
      if (files.length > 0 || substitute !== undefined) continue;
      substitute = stage(part, maxUploadTotalSize);
      // Its refusal counts only if no `files` part follows, which is not known yet.
      await substitute.catch((error) => {
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
  const only = await substitute;
  if (only === undefined) throw invalidRequest("the form has no file");
  return [only];
}

interface StageOptions {
  readonly caller: Caller;
  readonly directory: string;
  readonly part: UploadPart;
  readonly remainingBytes: number;
}

async function stageFile(
  tree: Tree,
  { caller, directory, part, remainingBytes }: StageOptions,
): Promise<UploadedFile> {
  const { limits } = tree;
  const name = sanitizeFileName(part.filename);
  const path = joinPath(directory, name);
  const content = limited(part.content, (size) => {
    if (size > limits.maxUploadFileSize) {
      throw invalidRequest(`${quoted(name)} is larger than ${limits.maxUploadFileSize} bytes`);
    }
    if (size > remainingBytes) {
      throw invalidRequest(
        `the files exceed ${limits.maxUploadTotalSize} bytes in total`,
      );
    }
  });
  const besides = limits.maxUploadTotalSize - remainingBytes;
  const affordable = contentWithinQuota(tree, { caller, besides }, content);
  return { path, blob: await tree.blobs.stage(affordable) };
}

/** Passes content on. `check` receives the number of bytes so far, and throws if that is too many. */
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

function refuseRepeated(files: readonly UploadedFile[]): void {
  const seen = new Set<string>();
  for (const { path } of files) {
    if (seen.has(path)) throw alreadyExists(path, "the form has it twice");
    seen.add(path);
  }
}

function invalidRequest(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot upload: ${reason}`);
}

function alreadyExists(path: string, reason: string): AppError {
  return new AppError("ErrResourcesAlreadyExists", `Cannot upload ${quoted(path)}: ${reason}`);
}
