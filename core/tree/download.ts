import type { Compression } from "../../schemas/resources.ts";
import { type ArchiveEntry, zipStream } from "../archive.ts";
import { type Caller, ownerOf, scopeOf } from "../caller.ts";
import { type Chunk, ContentReader, type LocatedContent } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { sanitizePath } from "../paths.ts";
import type { BlobStore, ByteRange } from "../blob_store.ts";
import type { CollectedFile, FileCollection, ResourceRecord } from "../ports.ts";
import type { Admission } from "../gate.ts";
import type { Tree } from "./changes.ts";
import { MissingContent, missingContent, openFile, reportingDamage } from "./file_content.ts";
import { refuseSharedPath, resolveTargets, sharedPath } from "./targets.ts";

/** The part of a file that a download reads. Callers may add what they need to respond. */
export interface FileSelection {
  /** Undefined to read nothing. */
  readonly range?: ByteRange | undefined;
  /** Whether the range is only announced, and none of it read. @default false */
  readonly isHead?: boolean;
}

/** A request to download a file or an archive (RS 4.7). */
export interface DownloadRequest<Selection extends FileSelection> {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Positive. The store assigns no id of 2^53 or above, so such an id is not found. */
  readonly ids: readonly number[];
  readonly compression: Compression;
  /** Selects what to read of a single file. The result is part of the {@link FileDownload}. */
  readonly select: (record: ResourceRecord) => Selection;
  /** Aborts the preparation of an archive. */
  readonly signal: AbortSignal;
}

export type Download<Selection extends FileSelection> = FileDownload<Selection> | ArchiveDownload;

/** One file. */
export interface FileDownload<Selection extends FileSelection> {
  readonly kind: "file";
  readonly record: ResourceRecord;
  readonly selection: Selection;
  /** The selected bytes, or undefined if none are. Read to the end or call `return()`. */
  readonly content: ContentReader | undefined;
}

/** A ZIP archive of several files. */
export interface ArchiveDownload {
  readonly kind: "archive";
  readonly filename: string;
  /** The bytes of the ZIP. Read to the end or call `return()`. */
  readonly content: ContentReader;
}

/**
 * Prepares the download of one file, or of an archive of several (RS 4.7, C 9). Before an archive is
 * returned, every content in it is checked to exist with its size. Reading damaged content throws a
 * {@link DamagedContent} before its last chunk, and reports it.
 *
 * The gate is asked before anything else that depends on the content (C 18).
 * See docs/design/downloads.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no path or id is given or a path is invalid,
 *   `ErrResourcesNotFound` when a path or id has no record, `ErrResourcesSharedPath` when two
 *   different records would have one name in the archive, `ErrResourcesQuarantined` when the gate
 *   refuses a file.
 * @throws {Error} when content is missing or has the wrong size.
 */
export function download<Selection extends FileSelection>(
  tree: Tree,
  request: DownloadRequest<Selection>,
): Promise<Download<Selection>> {
  return retried(() => prepare(tree, request));
}

/** A request to download the file at a path (C 17). */
export interface FileRequest<Selection extends FileSelection>
  extends Pick<DownloadRequest<Selection>, "caller" | "select"> {
  readonly path: string;
}

/**
 * Prepares the download of the file at a path, as {@link download} does (C 17).
 *
 * @throws {AppError} as {@link download} does, and `ErrResourcesNotFound` when it is a directory.
 */
export function downloadFile<Selection extends FileSelection>(
  tree: Tree,
  { caller, path, select }: FileRequest<Selection>,
): Promise<FileDownload<Selection>> {
  const requested = sanitizePath(path);
  return retried(async () => {
    const { record, located } = await findFile(tree, caller, requested);
    if (!record.isDir) return await prepareFile(tree, record, select, located);
    throw new AppError(
      "ErrResourcesNotFound",
      `Cannot download ${quoted(requested)} as a file: it is a directory`,
    );
  });
}

/** The record at a path, and where its content is, if one lookup finds both. */
async function findFile(
  tree: Tree,
  caller: Caller,
  path: string,
): Promise<{ readonly record: ResourceRecord; readonly located?: LocatedContent }> {
  // The gate has to admit content before it is read.
  const found = tree.gate === undefined
    ? await tree.records.findLocated?.(scopeOf(caller), path)
    : undefined;
  if (found !== undefined) return found;
  const { byPath: [record] } = await resolveTargets(
    tree,
    { caller, paths: [path], ids: [] },
    "download",
  );
  if (record === undefined) throw new Error("No record was found, and none was missed");
  return { record };
}

/** Prepares a download again if other requests change its records meanwhile. */
async function retried<Prepared>(prepare: () => Promise<Prepared>): Promise<Prepared> {
  let missed: MissingContent | undefined;
  for (let attempt = 1;; attempt++) {
    try {
      return await prepare();
    } catch (error) {
      if (!(error instanceof MissingContent)) throw error;
      // The record may have been changed or deleted since it was found: look again. If it still names
      // the same content, that content is really missing.
      if (error.sameAs(missed) || attempt === MAX_ATTEMPTS) throw error.refusal ?? error;
      missed = error;
    }
  }
}

/** How often to prepare a download while other requests keep changing its records. */
const MAX_ATTEMPTS = 50;

async function prepare<Selection extends FileSelection>(
  tree: Tree,
  request: DownloadRequest<Selection>,
): Promise<Download<Selection>> {
  const { byPath, byId } = await resolveTargets(tree, request, "download");
  const [first] = [...byPath, ...byId];
  if (first === undefined) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      "Cannot download: a path or id is required",
    );
  }
  const single = byPath.length + byId.length === 1;
  if (single && !first.isDir) return await prepareFile(tree, first, request.select);
  refuseSharedPath([...byPath, ...byId], "download");
  const { caller, compression, signal } = request;
  await using stack = new AsyncDisposableStack();
  const files = stack.use(
    await tree.records.collectFiles({ userId: ownerOf(caller), byPath, byId }),
  );
  if (files.sharedPath !== undefined) throw sharedPath(files.sharedPath, "download");
  await tree.gate?.admitAll(files);
  await checkContents(tree.blobs, files, signal);
  const prefix = single ? `${first.path}/` : "";
  const content = await withFirstChunk(packFiles(tree, files, { compression, prefix }));
  const filename = single ? `${first.name}.zip` : "download.zip";
  stack.move();
  return { kind: "archive", filename, content };
}

async function prepareFile<Selection extends FileSelection>(
  tree: Tree,
  record: ResourceRecord,
  select: (record: ResourceRecord) => Selection,
  located?: LocatedContent,
): Promise<FileDownload<Selection>> {
  const admission = await tree.gate?.admit(record);
  const selection = select(record);
  const { range, isHead } = selection;
  const content = await openFile(tree, record, isHead ? undefined : range, located);
  if (admission !== undefined) await confirm(tree, admission, content);
  return { kind: "file", record, selection, content };
}

/** Gives content up that is not what the gate has admitted: the record has another one by now. */
async function confirm(
  { gate }: Tree,
  admission: Admission,
  content: ContentReader | undefined,
): Promise<void> {
  try {
    if (await gate?.confirm(admission)) return;
    throw new MissingContent(admission, undefined);
  } catch (error) {
    await content?.return();
    throw error;
  }
}

/** Reads the first chunk ahead, so that content removed since the check is missed here. */
async function withFirstChunk(content: ContentReader): Promise<ContentReader> {
  let ahead: IteratorResult<Chunk, undefined> | undefined = await content.next();
  return new ContentReader(
    async () => {
      const { value } = ahead ?? await content.next();
      ahead = undefined;
      return value;
    },
    async () => {
      await content.return();
    },
  );
}

async function checkContents(
  blobs: BlobStore,
  files: FileCollection,
  signal: AbortSignal,
): Promise<void> {
  for await (const page of files.uncheckedPages()) {
    signal.throwIfAborted();
    const sizes = await blobs.sizesOf(page.map(({ hash }) => hash), signal);
    // Report the first by path, so that another attempt misses the same one if it is really missing.
    for (const [index, file] of page.entries()) {
      if (sizes[index] !== file.size) throw missingContent(file, sizes[index], "ErrInternal");
    }
  }
}

interface PackOptions {
  readonly compression: Compression;
  /** The prefix that is cut from each path to name the entry. */
  readonly prefix: string;
}

interface FileEntry extends ArchiveEntry {
  readonly file: CollectedFile;
}

/** Packed sizes are stored in the collection when this many are known. */
const MAX_PENDING_SIZES = 500;

function packFiles(
  { blobs, damage, gate }: Tree,
  files: FileCollection,
  { compression, prefix }: PackOptions,
): ContentReader {
  const sizes = new Map<string, number>();
  const flushSizes = async () => {
    if (sizes.size > 0) await files.setPackedSizes(sizes);
    sizes.clear();
  };
  const bytes = zipStream<FileEntry>({
    async *members() {
      for await (const { file, packed } of blobs.pack(files.pages(), compression)) {
        // Packed content is open, so nothing can replace it any more.
        const isAdmitted = gate === undefined || await gate.confirmFile(file);
        if (!isAdmitted) throw new MissingContent(file, undefined);
        if (packed === undefined) throw missingContent(file, undefined, "ErrInternal");
        yield { entry: fileEntry(file, prefix), ...packed };
      }
    },
    async setPackedSize({ file }, size) {
      sizes.set(file.path, size);
      if (sizes.size === MAX_PENDING_SIZES) await flushSizes();
    },
    async *entries() {
      await flushSizes();
      for await (const page of files.pages()) {
        for (const file of page) yield fileEntry(file, prefix);
      }
    },
  });
  const content = new ContentReader(
    async () => (await bytes.next()).value,
    async () => {
      await bytes.return(undefined);
      await files[Symbol.asyncDispose]();
    },
  );
  return reportingDamage(content, damage);
}

function fileEntry(file: CollectedFile, prefix: string): FileEntry {
  return {
    file,
    name: file.path.slice(prefix.length),
    size: file.size,
    crc32: file.crc32,
    modifiedAt: file.updatedAt,
    packedSize: file.packedSize,
  };
}
