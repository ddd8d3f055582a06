import type { StagedBlob } from "../blob_store.ts";
import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import type { SmallContent } from "../content_changes.ts";
import type { UploadEffects } from "../decided_upload.ts";
import { forEachPaced, isTurnOver, takeTurn } from "../event_loop.ts";
import { asError } from "../log.ts";
import { KIB } from "../../schemas/units.ts";
import type { ObjectFacts } from "../object_facts.ts";
import type { ResourceRecord, WriteTransaction } from "../ports.ts";
import { type ChangeSet, changesOf } from "./change_set.ts";
import { commit, commitDecided, type CommitOptions, type Tree } from "./changes.ts";
import { chainOf } from "./directories.ts";
import { byPolicy, type Decide, parentsOf, type PlacedFile, planPlacement } from "./placement.ts";
import { boundsOf, contentWithinQuota, quotaOf, withinQuota } from "./quota.ts";
import { limited, refuseLarge } from "./upload_size.ts";

/** Uploads of more files or bytes are decided within their transaction, as one call would take long. */
const MAX_DECIDED_FILES = 16;
const MAX_DECIDED_BYTES = 64 * KIB;

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
  readonly decide: Decide;
  /** Whether files may take the place of others. */
  readonly mayReplace: boolean;
  /** What belongs to the upload besides its files, first in the same transaction. @default nothing */
  readonly alongside?: (transaction: WriteTransaction) => Promise<Alongside | void>;
  /** What the S3 door keeps of each file, once all are staged. @default the same as before, of the same content */
  readonly facts?: (() => ObjectFacts | undefined) | undefined;
  /** Whether no other work shares the commit. @default false */
  readonly alone?: boolean;
  /** Why it is done, for the history of the tree. @default nothing is said */
  readonly message?: string | undefined;
  /** As {@link commit} takes it; only with `alongside`. */
  readonly onVersions?: CommitOptions["onVersions"];
}

/** Content to receive. */
export interface IncomingContent {
  readonly path: string;
  readonly content: AsyncIterable<Chunk>;
  /** The bytes of the upload before this content. @default 0 */
  readonly besides?: number;
  /** A file that has the content as well, as the store of content takes it. @default none */
  readonly spool?: string | undefined;
}

export interface StoreOptions {
  /** The paths of the files that come alongside. @default none */
  readonly besides?: readonly string[];
  /** The owner's records at the paths of the files and above them. @default they are looked up */
  readonly found?: ReadonlyMap<string, ResourceRecord>;
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
 * See docs/design/uploads.md.
 */
export class Staging implements AsyncDisposable {
  readonly #tree: Tree;
  readonly #options: StagingOptions;
  readonly #staged: StagedBlob[] = [];
  /** Announced content that has not become part of the tree. */
  readonly #unused = new Set<string>();
  /** The bytes of the files that uploaded ones replace. */
  #replacedBytes = 0;

  constructor(tree: Tree, options: StagingOptions) {
    this.#tree = tree;
    this.#options = { ...options, decide: byPolicy(tree, options) };
  }

  /**
   * Receives the content of a file.
   *
   * @throws {AppError} `ErrResourcesInvalidRequest` when it exceeds a limit,
   *   `ErrResourcesQuotaExceeded` when it exceeds the quota, `ErrResourcesRefused` when the policy refuses it.
   */
  async stage({ path, content, besides = 0, spool }: IncomingContent): Promise<UploadedFile> {
    const tree = this.#tree;
    const { caller } = this.#options;
    tree.policy?.refuseUpload({ userId: ownerOf(caller), path });
    this.#replacedBytes += await this.#bytesReplacedAt(path);
    const bounded = limited(content, (size) => refuseLarge(tree, { path, size, besides }));
    const affordable = contentWithinQuota(
      tree,
      { caller, besides: besides - this.#replacedBytes },
      bounded,
    );
    const blob = await tree.blobs.stage(affordable, spool);
    this.#staged.push(blob);
    return { path, blob };
  }

  /**
   * Stores staged files, and the directories above them that are missing.
   *
   * @throws {AppError} `ErrResourcesAlreadyExists` when a file is in the way of a directory,
   *   `ErrResourcesQuotaExceeded` when the tree would exceed its quota, `ErrResourcesRefused` when the policy
   *   refuses a file, and what `decide` throws.
   */
  async store(
    files: readonly UploadedFile[],
    { besides = [], found }: StoreOptions = {},
  ): Promise<StoredFiles> {
    const parents = await parentsOf([...files.map(({ path }) => path), ...besides]);
    const blobs = [...new Set(files.map(({ blob }) => blob))];
    const staged = { files, blobs, parents };
    const placed = await this.#placeDecided(staged, found) ??
      await this.#placeByTransaction(staged);
    this.#tree.sweeper.add(placed.replacedHashes);
    return placed;
  }

  /** Places small files by what is found before the transaction, if that is possible. */
  async #placeDecided(
    { files, blobs, parents }: StagedFiles,
    known: StoreOptions["found"],
  ): Promise<PlacedFiles | undefined> {
    const tree = this.#tree;
    const { caller, decide, alongside, facts, alone = false } = this.#options;
    const isBound = alongside !== undefined || alone;
    if (files.length > MAX_DECIDED_FILES || isBound) return undefined;
    const contents = smallContents(blobs);
    if (contents === undefined || tree.records.storeDecided === undefined) return undefined;
    const userId = ownerOf(caller);
    const found = known ??
      await tree.records.findByPath({ userId, everyone: false }, pathsOf(files, parents));
    const plan = await planPlacement(files, { userId, parents, found, decide });
    const stored = await commitDecided(tree, {
      userId,
      found: [...found.values()],
      ...plan,
      contents,
      facts: facts?.(),
      bounds: boundsOf(tree, caller),
      author: caller.userId === userId ? undefined : caller.userId,
    });
    return stored && await placedFiles(files, found, stored);
  }

  /** Places files by what is found within the transaction. */
  async #placeByTransaction(staged: StagedFiles): Promise<PlacedFiles> {
    const tree = this.#tree;
    const { caller, alone = false, message, onVersions } = this.#options;
    const { blobs } = staged;
    for (const { hash } of blobs) this.#unused.add(hash);
    await tree.blobs.announce(blobs);
    let placed: PlacedFiles = { changes: [], files: [], replacedHashes: [] };
    try {
      await commit(
        tree,
        (transaction) =>
          withinQuota(tree, { caller, verb: "upload", transaction }, async () => {
            placed = await this.#place(staged, transaction);
            return placed.changes;
          }),
        { caller, alone, message, onVersions },
      );
    } catch (error) {
      for (const { damage } of blobs) if (damage !== undefined) tree.damage.report(damage);
      throw error;
    }
    for (const { damage, hash } of blobs) {
      if (damage !== undefined) tree.damage.reportRepair(damage);
      this.#unused.delete(hash);
    }
    return placed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const blob of this.#staged.splice(0)) {
      if (isTurnOver()) await takeTurn();
      await discard(this.#tree, blob);
    }
    this.#tree.sweeper.add([...this.#unused]);
  }

  async #place(
    { files, blobs, parents }: StagedFiles,
    transaction: WriteTransaction,
  ): Promise<PlacedFiles> {
    const { caller, decide, alongside, facts } = this.#options;
    // Before lookups that take long, if they are made in steps.
    await transaction.expect(ownerOf(caller), files.length);
    const first = await alongside?.(transaction) ?? { changes: [], files: [] };
    const all = [...files, ...first.files];
    const userId = ownerOf(caller);
    const found = await transaction.findByPath(
      { userId, everyone: false },
      pathsOf(all, parents),
    );
    const plan = await planPlacement(all, { userId, parents, found, decide });
    const { newRecords, newContents } = plan;
    await transaction.expect(userId, newRecords.length + newContents.length);
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
    const changes = [
      ...first.changes,
      changesOf("added", added.value),
      changesOf("updated", updated.value),
    ];
    const placed = await placedFiles(all, found, {
      added: added.value,
      updated: updated.value,
      changes,
    });
    const kept = facts?.();
    if (kept !== undefined) {
      for (const file of placed.files) await transaction.keepFacts(file, kept);
    }
    return placed;
  }

  /** The size of the file that content at the path would replace, if that matters for the quota. */
  async #bytesReplacedAt(path: string): Promise<number> {
    const { caller, mayReplace } = this.#options;
    if (!mayReplace || quotaOf(this.#tree, caller) === undefined) return 0;
    const owner = { userId: ownerOf(caller), everyone: false };
    return (await this.#tree.records.findByPath(owner, [path])).get(path)?.size ?? 0;
  }
}

/** The paths whose records decide what becomes of files in the directories `parents`. */
function pathsOf(files: readonly PlacedFile[], parents: readonly string[]): string[] {
  return [...new Set(parents.flatMap(chainOf)), ...files.map(({ path }) => path)];
}

async function placedFiles(
  files: readonly PlacedFile[],
  found: ReadonlyMap<string, ResourceRecord>,
  { added, updated, changes }: UploadEffects & { readonly changes: ChangeSet },
): Promise<PlacedFiles> {
  const stored = new Map<string, ResourceRecord>();
  for (const records of [added, updated]) {
    await forEachPaced(records, (record) => stored.set(record.path, record));
  }
  const placed: ResourceRecord[] = [];
  await forEachPaced(files, ({ path }) => {
    const record = stored.get(path) ?? found.get(path);
    if (record !== undefined) placed.push(record);
  });
  return {
    changes,
    files: placed,
    replacedHashes: updated.flatMap(({ path }) => found.get(path)?.hash ?? []),
  };
}

/** The contents, if they are so small that one call can store them while others wait. */
function smallContents(blobs: readonly StagedBlob[]): SmallContent[] | undefined {
  const size = blobs.reduce((sum, { size }) => sum + size, 0);
  if (size > MAX_DECIDED_BYTES) return undefined;
  const contents = blobs.flatMap(({ small }) => small ?? []);
  return contents.length === blobs.length ? contents : undefined;
}

/** Discards staged content. If that fails, the outcome of the upload stays what it is. */
async function discard({ log }: Tree, blob: StagedBlob): Promise<void> {
  try {
    await blob[Symbol.asyncDispose]();
  } catch (error) {
    log.warn("Cannot remove a temporary file", { error: asError(error) });
  }
}
