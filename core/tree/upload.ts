import type { OnConflict } from "../../schemas/resources.ts";
import { type Caller, requirePermission } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError } from "../errors.ts";
import {
  joinPath,
  refuseUncreatable,
  sanitizeDirectory,
  sanitizeFileName,
  sanitizeFilePath,
} from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree, UploadLimits } from "./changes.ts";
import { alreadyExists, type Decision, invalidUpload, type PlacedFile } from "./placement.ts";
import { Staging, type StoredFiles, type UploadedFile } from "./staging.ts";

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
  /** Whether the name of a file is a path below `dir` (C 17). */
  readonly keepsPaths: boolean;
  /** What to do about files that are there (C 17). */
  readonly onConflict: OnConflict;
}

/**
 * Stores the files of a form in `dir`, all or none (RS 4.2, C 6, C 17).
 *
 * @throws {AppError} `ErrNotPermitted` when the caller may not replace files,
 *   `ErrResourcesInvalidRequest` when the directory is invalid, the form has no file or a limit is
 *   exceeded, `ErrResourcesInvalidData` when a file name is invalid, `ErrResourcesAlreadyExists` when a
 *   path is taken.
 */
export async function upload(
  tree: Tree,
  { caller, dir, parts, keepsPaths, onConflict }: UploadRequest,
): Promise<StoredFiles> {
  if (onConflict === "replace") requirePermission(caller, "resources.edit");
  const directory = sanitizeDirectory(dir);
  refuseUncreatable(directory);
  await using staging = new Staging(tree, {
    caller,
    decide: (file, found) => decideBy(onConflict, file, found),
    mayReplace: onConflict !== "error",
  });
  const files = await readForm(parts, async ({ filename, content }, besides) => {
    const name = keepsPaths ? sanitizeFilePath(filename) : sanitizeFileName(filename);
    return await staging.stage({ path: joinPath(directory, name), content, besides });
  }, tree.limits);
  return await staging.store(files);
}

/**
 * What becomes of an uploaded file (C 17).
 *
 * @throws {AppError} `ErrResourcesAlreadyExists` when its path is taken.
 */
export function decideBy(
  onConflict: OnConflict,
  { path, blob }: PlacedFile,
  found: ResourceRecord | undefined,
): Decision {
  if (found === undefined) return "add";
  if (onConflict === "error") throw alreadyExists(path, "it exists");
  if (found.isDir) throw alreadyExists(path, "it is a directory");
  if (onConflict === "replace") return "replace";
  if (found.hash === blob.hash) return "keep";
  throw alreadyExists(path, "it exists with other content");
}

/** Stages the content of a part. `besides` is what the form had before it, in bytes. */
type Stage = (part: UploadPart, besides: number) => Promise<UploadedFile>;

/** Reads the form in stream order; the first violation is reported (C 6). */
async function readForm(
  parts: AsyncIterable<UploadPart>,
  stage: Stage,
  { maxUploadFiles }: UploadLimits,
): Promise<UploadedFile[]> {
  const files: UploadedFile[] = [];
  let total = 0;
  let substitute: Promise<UploadedFile> | undefined;
  for await (const part of parts) {
    // A browser sends an empty file input like this.
    if (part.filename === "" && await isEmpty(part.content)) continue;
    if (part.field === "file") {
      if (files.length > 0 || substitute !== undefined) continue;
      substitute = stage(part, 0);
      // Its refusal counts only if no `files` part follows, which is not known yet.
      await substitute.catch((error) => {
        if (!(error instanceof AppError)) throw error;
      });
      continue;
    }
    if (files.length === maxUploadFiles) {
      throw invalidUpload(`more than ${maxUploadFiles} files (STRONGROOM_MAX_UPLOAD_FILES)`);
    }
    const file = await stage(part, total);
    total += file.blob.size;
    files.push(file);
  }
  if (files.length > 0) return files;
  const only = await substitute;
  if (only === undefined) throw invalidUpload("the form has no file");
  return [only];
}

async function isEmpty(content: AsyncIterable<Chunk>): Promise<boolean> {
  for await (const chunk of content) {
    if (chunk.length > 0) return false;
  }
  return true;
}
