import type { Compression } from "../../schemas/resources.ts";
import { type ArchiveEntry, zipStream } from "../archive.ts";
import { type Caller, ownerOf } from "../caller.ts";
import { type Chunk, ContentReader, verifiedContent } from "../content.ts";
import type { DamageLog } from "../damage.ts";
import { AppError, DamagedContent, quoted } from "../errors.ts";
import type { BlobStore, ByteRange } from "../blob_store.ts";
import type { CollectedFile, FileCollection, ResourceRecord } from "../ports.ts";
import type { Admission } from "../gate.ts";
import type { Tree } from "./changes.ts";
import { refuseSharedPath, resolveTargets, sharedPath } from "./targets.ts";

/** The part of a file that a download reads. Callers may add what they need to respond. */
export interface FileSelection {
  /** Undefined to read nothing. */
  readonly range?: ByteRange | undefined;
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
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when no path or id is given or a path is invalid,
 *   `ErrResourcesNotFound` when a path or id has no record, `ErrResourcesSharedPath` when two
 *   different records would have one name in the archive, `ErrResourcesQuarantined` when the gate
 *   refuses a file.
 * @throws {Error} when content is missing or has the wrong size.
 */
export async function download<Selection extends FileSelection>(
  tree: Tree,
  request: DownloadRequest<Selection>,
): Promise<Download<Selection>> {
  let missed: MissingContent | undefined;
  for (let attempt = 1;; attempt++) {
    try {
      return await prepare(tree, request);
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

/** The content of a record is missing, or has another size than the record. */
class MissingContent extends Error {
  readonly #path: string;
  readonly #hash: string;

  /** @param refusal The error if the content stays missing. Left out, it is `ErrInternal`. */
  constructor(
    { path, hash, size }: Pick<CollectedFile, "path" | "hash" | "size">,
    stored: number | undefined,
    readonly refusal?: AppError,
  ) {
    super(
      stored === undefined
        ? `The content of ${quoted(path)} is missing`
        : `The content of ${quoted(path)} has ${stored} bytes (expected: ${size})`,
    );
    this.#path = path;
    this.#hash = hash;
  }

  /** Whether the same content is missing at the same path. */
  sameAs(other: MissingContent | undefined): boolean {
    return other !== undefined && other.#path === this.#path && other.#hash === this.#hash;
  }
}

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
  if (single && !first.isDir) {
    const admission = await tree.gate?.admit(first);
    const selection = request.select(first);
    const content = await openFile(tree, first, selection.range);
    if (admission !== undefined) await confirm(tree, admission, content);
    return { kind: "file", record: first, selection, content };
  }
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

/** Gives content up that is not what the gate has admitted: the record has another one by now. */
async function confirm(
  { gate }: Tree,
  admission: Admission,
  content: ContentReader | undefined,
): Promise<void> {
  try {
    if (await gate?.confirm(admission)) return;
    throw new MissingContent({ ...admission, size: 0 }, undefined);
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

/** RS 4.7.3: missing content is 404 even if none of it is selected. */
async function openFile(
  { blobs, damage }: Tree,
  record: ResourceRecord,
  range: ByteRange | undefined,
): Promise<ContentReader | undefined> {
  const { hash, size } = record;
  const content = range && await blobs.open(hash, range);
  const stored = range === undefined ? await blobs.sizeOf(hash) : content?.size;
  if (stored !== size) {
    await content?.return();
    const message = `Cannot download ${quoted(record.path)}: its content is missing from storage`;
    const missing = new AppError("ErrResourcesNotFound", message);
    throw new MissingContent(record, stored, stored === undefined ? missing : undefined);
  }
  if (range === undefined || content === undefined) return undefined;
  // The checksum covers all of the content, so a part of it cannot be verified.
  const isWhole = range.end - range.start === size;
  return isWhole ? reportingDamage(verifiedContent(content, record), damage) : content;
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
      if (sizes[index] !== file.size) throw new MissingContent(file, sizes[index]);
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
        if (packed === undefined || !isAdmitted) throw new MissingContent(file, undefined);
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

/** Passes content through, and reports it if it turns out to be damaged. */
function reportingDamage(content: ContentReader, damage: DamageLog): ContentReader {
  return new ContentReader(
    async () => {
      try {
        return (await content.next()).value;
      } catch (error) {
        if (error instanceof DamagedContent) damage.report(error);
        throw error;
      }
    },
    async () => {
      await content.return();
    },
  );
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
