import type { StagedBlob } from "../blob_store.ts";
import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { quoted } from "../errors.ts";
import { asError } from "../log.ts";
import { formatBytes } from "../../schemas/units.ts";
import { nameOf } from "../paths.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import { commit, type Tree } from "./changes.ts";
import { chainOf } from "./directories.ts";
import {
  type Decision,
  invalidUpload,
  parentsOf,
  type PlacedFile,
  planPlacement,
} from "./placement.ts";
import { contentWithinQuota, quotaOf, withinQuota } from "./quota.ts";

/** A file whose content is staged and not yet part of the tree. */
export interface UploadedFile extends PlacedFile {
  readonly blob: StagedBlob;
}

/** What the transaction of an upload does besides storing what was staged. */
export interface Alongside {
  /** Changes that come first. What they delete makes way for the files. */
  readonly changes: ChangeSet;
  /** Files whose content the tree has already. */
  readonly files: readonly PlacedFile[];
}

export interface StagingOptions {
  readonly caller: Caller;
  /** Decides about a file by the record at its path. Throws to refuse the upload. */
  readonly decide: (file: PlacedFile, found: ResourceRecord | undefined) => Decision;
  /** Whether files may take the place of others. */
  readonly mayReplace: boolean;
  /** What belongs to the upload besides its files, first in the same transaction. @default nothing */
  readonly alongside?: (transaction: WriteTransaction) => Promise<Alongside | void>;
  /** Whether no other work shares the commit. @default false */
  readonly alone?: boolean;
}

/** Content to receive. */
export interface IncomingContent {
  readonly path: string;
  readonly content: AsyncIterable<Chunk>;
  /** The bytes of the upload before this content. @default 0 */
  readonly besides?: number;
}

/** What an upload did. */
export interface StoredFiles {
  /** What happened alongside, the new directories, the added files, then the replaced ones. */
  readonly changes: ChangeSet;
  /** The record of each file, in the order of the upload. */
  readonly files: readonly ResourceRecord[];
}

interface StagedFiles {
  readonly files: readonly UploadedFile[];
  /** The content of the files, each once. */
  readonly blobs: readonly StagedBlob[];
  /** The directories of all files. */
  readonly parents: readonly string[];
}

interface PlacedFiles extends StoredFiles {
  readonly replacedHashes: readonly string[];
}

/**
 * Receives the files of an upload, and stores them in the tree that the request acts in, all or none (RS 4.2.6).
 * Disposing discards what has not become part of the tree.
 */
export class Staging implements AsyncDisposable {
  readonly #tree: Tree;
  readonly #options: StagingOptions;
  readonly #stack = new AsyncDisposableStack();
  /** Announced content that has not become part of the tree. */
  readonly #unused = new Set<string>();
  /** The bytes of the files that uploaded ones replace. */
  #replacedBytes = 0;

  constructor(tree: Tree, options: StagingOptions) {
    this.#tree = tree;
    this.#options = options;
    // Runs last.
    this.#stack.defer(() => tree.sweeper.add([...this.#unused]));
  }

  /**
   * Receives the content of a file.
   *
   * @throws {AppError} `ErrResourcesInvalidRequest` when it exceeds a limit,
   *   `ErrResourcesQuotaExceeded` when it exceeds the quota.
   */
  async stage({ path, content, besides = 0 }: IncomingContent): Promise<UploadedFile> {
    const tree = this.#tree;
    const { caller } = this.#options;
    this.#replacedBytes += await this.#bytesReplacedAt(path);
    const bounded = limited(content, (size) => refuseLarge(tree, { path, size, besides }));
    const affordable = contentWithinQuota(
      tree,
      { caller, besides: besides - this.#replacedBytes },
      bounded,
    );
    const blob = await tree.blobs.stage(affordable);
    this.#stack.defer(() => discard(tree, blob));
    return { path, blob };
  }

  /**
   * Stores staged files, and the directories above them that are missing.
   *
   * @param besides The paths of the files that come alongside.
   * @throws {AppError} `ErrResourcesAlreadyExists` when a file is in the way of a directory,
   *   `ErrResourcesQuotaExceeded` when the tree would exceed its quota, and what `decide` throws.
   */
  async store(
    files: readonly UploadedFile[],
    besides: readonly string[] = [],
  ): Promise<StoredFiles> {
    const tree = this.#tree;
    const { caller, alone = false } = this.#options;
    const parents = parentsOf([...files.map(({ path }) => path), ...besides]);
    const blobs = [...new Set(files.map(({ blob }) => blob))];
    for (const { hash } of blobs) this.#unused.add(hash);
    await tree.blobs.announce(blobs);
    let placed: PlacedFiles = { changes: [], files: [], replacedHashes: [] };
    try {
      await commit(
        tree,
        (transaction) =>
          withinQuota(tree, { caller, verb: "upload", transaction }, async () => {
            placed = await this.#place({ files, blobs, parents }, transaction);
            return placed.changes;
          }),
        { alone },
      );
    } catch (error) {
      for (const { damage } of blobs) if (damage !== undefined) tree.damage.report(damage);
      throw error;
    }
    for (const { damage, hash } of blobs) {
      if (damage !== undefined) tree.damage.reportRepair(damage);
      this.#unused.delete(hash);
    }
    tree.sweeper.add(placed.replacedHashes);
    return placed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }

  async #place(
    { files, blobs, parents }: StagedFiles,
    transaction: WriteTransaction,
  ): Promise<PlacedFiles> {
    const { caller, decide, alongside } = this.#options;
    const first = await alongside?.(transaction) ?? { changes: [], files: [] };
    const all = [...files, ...first.files];
    const userId = ownerOf(caller);
    const found = await transaction.findByPath({ userId, everyone: false }, [
      ...new Set(parents.flatMap(chainOf)),
      ...all.map(({ path }) => path),
    ]);
    const { newRecords, newContents } = planPlacement(all, { userId, parents, found, decide });
    // All are on their way to the database at once. None may go on after the work has failed.
    const [published, added, updated] = await Promise.allSettled([
      // Compares a file that stays with what came in, too: MD5 can be forged (C 6).
      transaction.last(() => this.#tree.blobs.publish(blobs, transaction)),
      transaction.insert(newRecords),
      transaction.replaceFiles(newContents),
    ]);
    if (published.status === "rejected") throw published.reason;
    if (added.status === "rejected") throw added.reason;
    if (updated.status === "rejected") throw updated.reason;
    const stored = new Map(found);
    for (const record of [...added.value, ...updated.value]) stored.set(record.path, record);
    return {
      changes: [
        ...first.changes,
        changesOf("added", added.value),
        changesOf("updated", updated.value),
      ],
      files: all.flatMap(({ path }) => stored.get(path) ?? []),
      replacedHashes: updated.value.flatMap(({ path }) => found.get(path)?.hash ?? []),
    };
  }

  /** The size of the file that content at the path would replace, if that matters for the quota. */
  async #bytesReplacedAt(path: string): Promise<number> {
    const { caller, mayReplace } = this.#options;
    if (!mayReplace || quotaOf(this.#tree, caller) === undefined) return 0;
    const owner = { userId: ownerOf(caller), everyone: false };
    return (await this.#tree.records.findByPath(owner, [path])).get(path)?.size ?? 0;
  }
}

/**
 * Refuses content that is too large for an upload.
 *
 * @param size In bytes, as `besides` of the upload before this content.
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function refuseLarge(
  { limits: { maxUploadFileSize, maxUploadTotalSize } }: Tree,
  { path, size, besides = 0 }: { path: string; size: number; besides?: number },
): void {
  if (size > maxUploadFileSize) {
    throw invalidUpload(
      `${quoted(nameOf(path))} is larger than ${
        formatBytes(maxUploadFileSize)
      } (STRONGROOM_MAX_UPLOAD_FILE_SIZE)`,
    );
  }
  if (besides + size > maxUploadTotalSize) {
    throw invalidUpload(
      `the files exceed ${
        formatBytes(maxUploadTotalSize)
      } in total (STRONGROOM_MAX_UPLOAD_TOTAL_SIZE)`,
    );
  }
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

/** Discards staged content. If that fails, the outcome of the upload stays what it is. */
async function discard({ log }: Tree, blob: StagedBlob): Promise<void> {
  try {
    await blob[Symbol.asyncDispose]();
  } catch (error) {
    log.warn("Cannot remove a temporary file", { error: asError(error) });
  }
}
