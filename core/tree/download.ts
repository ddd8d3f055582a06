import type { Compression } from "../../schemas/resources.ts";
import { type ArchiveEntry, zipStream } from "../archive.ts";
import type { Caller } from "../caller.ts";
import { type Chunk, ContentReader } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import type {
  BlobStore,
  ByteRange,
  CollectedFile,
  FileCollection,
  ResourceRecord,
} from "../ports.ts";
import type { Tree } from "./changes.ts";
import { refuseSharedPath, resolveTargets, sharedPath } from "./targets.ts";

export interface DownloadRequest {
  readonly caller: Caller;
  readonly paths: readonly string[];
  /** Positive; one beyond 2^53 names nothing, for the store gives none so large. */
  readonly ids: readonly number[];
  readonly compression: Compression;
  /** Which part of a single file is wanted; undefined where none of it is. */
  readonly rangeOf: (record: ResourceRecord) => ByteRange | undefined;
  /** Ends the preparation of an archive. */
  readonly signal: AbortSignal;
}

/** What a download turned out to be. */
export type Download = FileDownload | ArchiveDownload;

export interface FileDownload {
  readonly kind: "file";
  readonly record: ResourceRecord;
  /** The bytes that are wanted, to be read to their end or returned; undefined where none are. */
  readonly content: ContentReader | undefined;
}

export interface ArchiveDownload {
  readonly kind: "archive";
  readonly filename: string;
  /** The bytes of the ZIP, to be read to their end or returned. */
  readonly content: ContentReader;
}

/**
 * Finds what to download: one file, or an archive of several (RS 4.7, C 9). Every content of an
 * archive has been seen to exist with its size when this returns.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where nothing is asked for or a path is not
 *   one, `ErrResourcesNotFound` where a path or id has no record, `ErrResourcesSharedPath` where two
 *   different records would have one name in the archive.
 */
export async function download(tree: Tree, request: DownloadRequest): Promise<Download> {
  let missed: MissingContent | undefined;
  for (let attempt = 1;; attempt++) {
    try {
      return await prepare(tree, request);
    } catch (error) {
      if (!(error instanceof MissingContent)) throw error;
      // Mostly a record that was changed or deleted since it was found, which the next look shows;
      // one that still names what is missing shows that it really is.
      if (error.names(missed) || attempt === MAX_ATTEMPTS) throw error.refusal ?? error;
      missed = error;
    }
  }
}

/** How often a download is prepared where somebody changes its records all the while. */
const MAX_ATTEMPTS = 50;

/** Content that a record names and that is not there, or not as long as the record says. */
class MissingContent extends Error {
  readonly #path: string;
  readonly #hash: string;

  /** @param refusal What the caller hears if the content stays missing; left out, `ErrInternal`. */
  constructor(
    { path, hash, size }: Pick<CollectedFile, "path" | "hash" | "size">,
    stored: number | undefined,
    readonly refusal?: AppError,
  ) {
    super(`The content of ${quoted(path)} has ${stored ?? "no"} bytes, not ${size}`);
    this.#path = path;
    this.#hash = hash;
  }

  /** Whether it is about the same content at the same path. */
  names(other: MissingContent | undefined): boolean {
    return other !== undefined && other.#path === this.#path && other.#hash === this.#hash;
  }
}

async function prepare(tree: Tree, request: DownloadRequest): Promise<Download> {
  const { byPath, byId } = await resolveTargets(tree, request, "download");
  const [first] = [...byPath, ...byId];
  if (first === undefined) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      "Cannot download: no path or id is given",
    );
  }
  const single = byPath.length + byId.length === 1;
  if (single && !first.isDir) {
    const content = await openFile(tree.blobs, first, request.rangeOf(first));
    return { kind: "file", record: first, content };
  }
  refuseSharedPath([...byPath, ...byId], "download");
  const { blobs } = tree;
  const { caller: { userId }, compression, signal } = request;
  await using stack = new AsyncDisposableStack();
  const files = stack.use(await tree.records.collectFiles({ userId, byPath, byId }));
  if (files.sharedPath !== undefined) throw sharedPath(files.sharedPath, "download");
  await checkContents(blobs, files, signal);
  const above = single ? `${first.path}/` : "";
  const content = await primed(packFiles(blobs, files, { compression, above }));
  const filename = single ? `${first.name}.zip` : "download.zip";
  stack.move();
  return { kind: "archive", filename, content };
}

/** Reads the first piece ahead: content that has gone since it was seen is missed here. */
async function primed(content: ContentReader): Promise<ContentReader> {
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

/** RS 4.7.3: where the content is missing from storage it is not found, wanted or not. */
async function openFile(
  blobs: BlobStore,
  record: ResourceRecord,
  range: ByteRange | undefined,
): Promise<ContentReader | undefined> {
  const stored = await blobs.sizeOf(record.hash);
  if (stored === record.size) {
    const content = range && await blobs.open(record.hash, range);
    if (content !== undefined || range === undefined) return content;
  }
  const damaged = stored !== undefined && stored !== record.size;
  const message = `Cannot download ${quoted(record.path)}: its content is missing from storage`;
  throw new MissingContent(
    record,
    stored,
    damaged ? undefined : new AppError("ErrResourcesNotFound", message),
  );
}

async function checkContents(
  blobs: BlobStore,
  files: FileCollection,
  signal: AbortSignal,
): Promise<void> {
  for await (const page of files.pages()) {
    signal.throwIfAborted();
    const sizes = await Promise.all(page.map(({ hash }) => blobs.sizeOf(hash)));
    // The first by path, so that another look misses the same one if it is really missing.
    for (const [at, file] of page.entries()) {
      if (sizes[at] !== file.size) throw new MissingContent(file, sizes[at]);
    }
  }
}

interface PackOptions {
  readonly compression: Compression;
  /** The part of each path that the names in the archive leave out. */
  readonly above: string;
}

interface PackedFile extends ArchiveEntry {
  readonly file: CollectedFile;
}

function packFiles(
  blobs: BlobStore,
  files: FileCollection,
  { compression, above }: PackOptions,
): ContentReader {
  const bytes = zipStream<PackedFile>({
    async *entries() {
      for await (const page of files.pages()) {
        for (const file of page) yield packedFile(file, above);
      }
    },
    async openContent({ file }) {
      const content = await blobs.open(file.hash, { start: 0, end: file.size });
      if (content === undefined) throw new MissingContent(file, undefined);
      return content;
    },
    async openDeflated({ file }) {
      if (compression === "store" || file.size === 0) return undefined;
      return await blobs.openDeflated(file.hash, { always: compression === "deflate" });
    },
    setPackedSize: ({ file }, size) => files.setPackedSize(file.path, size),
  });
  return new ContentReader(
    async () => (await bytes.next()).value,
    async () => {
      await bytes.return(undefined);
      await files[Symbol.asyncDispose]();
    },
  );
}

function packedFile(file: CollectedFile, above: string): PackedFile {
  return {
    file,
    name: file.path.slice(above.length),
    size: file.size,
    crc32: file.crc32,
    modifiedAt: file.updatedAt,
    packedSize: file.packedSize,
  };
}
