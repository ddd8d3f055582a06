import type { Caller } from "../caller.ts";
import type { DecidedUpload, DecidedUploads, UploadEffects } from "../decided_upload.ts";
import type { DamageLog } from "../damage.ts";
import { AppError } from "../errors.ts";
import type { Gate } from "../gate.ts";
import type { Verdicts } from "../verdicts.ts";
import type { EventSink } from "../events.ts";
import type { HistoryStore } from "../history.ts";
import type { MadeVersions } from "../history_changes.ts";
import type { Log } from "../log.ts";
import type { TreeRules } from "../policy/tree_rules.ts";
import type { BlobStore } from "../blob_store.ts";
import type { FindSignatures } from "../signatures/find_signatures.ts";
import type {
  LocatedLookup,
  RecordList,
  ResourceRecord,
  ResourceStore,
  WriteOptions,
  WriteTransaction,
} from "../ports.ts";
import { batchesOf } from "../record_lists.ts";
import type { RecordSearch, SearchIndex } from "../search.ts";
import type { RecordShares } from "../shares.ts";
import { type ChangeSet, changesOf, eventsOf, type ResourceEvent } from "./change_set.ts";
import { changedTrees, requireUnlocked } from "./locked.ts";
import type { Sweeper } from "./sweeper.ts";

/** The limits of one upload (RS 8, C 6). Sizes are in bytes. */
export interface UploadLimits {
  readonly maxUploadRequestSize: number;
  readonly maxUploadFiles: number;
  readonly maxUploadFileSize: number;
  readonly maxUploadTotalSize: number;
  /** The most bytes of a user's files, unless the credential says otherwise. @default unlimited */
  readonly userQuota?: number | undefined;
}

/** What the tree operations work with, besides the {@link Sweeper}. */
export interface TreeParts {
  readonly records:
    & ResourceStore
    & RecordSearch
    & RecordShares
    & Partial<DecidedUploads>
    & Partial<LocatedLookup>
    & { readonly history?: HistoryStore; readonly searchIndex?: Pick<SearchIndex, "users"> };
  readonly blobs: BlobStore;
  readonly events: EventSink<ResourceEvent>;
  readonly limits: UploadLimits;
  /** The user whose tree no request changes: it has what is mirrored (C 28). @default none */
  readonly reserved?: number | undefined;
  readonly log: Log;
  readonly damage: DamageLog;
  readonly verdicts: Verdicts;
  /** Refuses content; left out if all may be downloaded. */
  readonly gate?: Gate | undefined;
  /** The rules for what users upload; left out without any (C 28). */
  readonly policy?: TreeRules | undefined;
  /** Left out without any (C 29). */
  readonly signatures?: FindSignatures | undefined;
  /** Receives what has changed; left out if nothing is derived from it. */
  readonly listener?: ChangeListener | undefined;
  /** Receives files with their content and name; left out if none is scanned by itself. */
  readonly arrivals?: Arrivals | undefined;
}

/** Receives the files that operations have added or changed. */
export interface Arrivals {
  /** Returns whether it takes more. */
  arrived(files: readonly ResourceRecord[]): boolean;
}

/** Receives changes after their commit, before the next transaction starts and before any reply. */
export interface ChangeListener {
  committed(changes: ChangeSet): void;
}

/** What the tree operations work with. */
export interface Tree extends TreeParts {
  readonly sweeper: Sweeper;
}

/** On whose behalf work is carried out, and how. */
export interface CommitOptions extends Pick<WriteOptions<ChangeSet>, "alone" | "isLocal"> {
  readonly caller: Caller;
  /** Why it is done, for the history of the tree. @default nothing is said */
  readonly message?: string | undefined;
  /** Whether it may change the tree that no request changes. @default false */
  readonly purges?: boolean;
  /** Called after the commit with the versions that are known here. @default nobody asks */
  readonly onVersions?: ((versions: MadeVersions) => void) | undefined;
}

/**
 * Runs `work` in one write transaction, and publishes the changes that it returns. Content that has lost
 * its last reference is removed shortly afterwards (C 5.4). If `work` throws, nothing changes and nothing is published.
 * The same holds if it changes what a lock holds whose token the caller does not have (C 30).
 *
 * Events are kept by the transaction, or published before the next one starts, so they are in commit order
 * (C 11). If routes published them after the commit, a later request could overtake an earlier one.
 *
 * @returns the changes, which the caller releases.
 * @throws {AppError} `ErrResourcesLocked`, `ErrNotPermitted` in the tree that no request changes.
 */
export async function commit(
  tree: Tree,
  work: (transaction: WriteTransaction) => Promise<ChangeSet>,
  { caller, message, purges = false, onVersions, ...options }: CommitOptions,
): Promise<ChangeSet> {
  const { entriesOf } = tree.events;
  const changes = await tree.records.write(async (transaction) => {
    const changes = await work(transaction);
    if (tree.reserved !== undefined && !purges) {
      for (const userId of changedTrees(changes)) refuseReserved(tree, userId);
    }
    await requireUnlocked(transaction, changes, caller);
    for (const userId of changedTrees(changes)) {
      if (userId === caller.userId && message === undefined && onVersions === undefined) continue;
      await transaction.history.describe(userId, { author: caller.userId, message });
    }
    return changes;
  }, {
    ...options,
    userId: caller.userId,
    events: entriesOf && ((changes) => entriesOf(eventsOf(changes))),
    onCommit: (changes, versions) => {
      publish(tree, changes, versions);
      onVersions?.(versions);
    },
  });
  await followUp(tree, changes);
  return changes;
}

/**
 * Carries out an upload that was decided before, as {@link commit} would. Returns undefined if that is not
 * possible any more: nothing has changed then.
 */
export async function commitDecided(
  tree: Tree,
  upload: DecidedUpload,
): Promise<UploadEffects & { readonly changes: ChangeSet } | undefined> {
  refuseReserved(tree, upload.userId);
  const { entriesOf } = tree.events;
  const toChanges = ({ added, updated }: UploadEffects): ChangeSet => [
    changesOf("added", added),
    changesOf("updated", updated),
  ];
  const effects = await tree.records.storeDecided?.(upload, {
    events: entriesOf && ((effects) => entriesOf(eventsOf(toChanges(effects)))),
    onCommit: (effects, versions) => publish(tree, toChanges(effects), versions),
  });
  if (effects === undefined) return undefined;
  const changes = toChanges(effects);
  await followUp(tree, changes);
  return { ...effects, changes };
}

function refuseReserved({ reserved }: Tree, userId: number): void {
  if (userId !== reserved) return;
  throw new AppError("ErrNotPermitted", "What is mirrored is only changed by the mirror");
}

function publish(tree: Tree, changes: ChangeSet, versions: MadeVersions): void {
  tree.listener?.committed(changes);
  if (tree.events.entriesOf === undefined) tree.events.publish(eventsOf(changes, versions));
}

/** Does what follows a change, once it is durable. */
async function followUp(tree: Tree, changes: ChangeSet): Promise<void> {
  for (const { kind, records } of changes) {
    if (kind === "deleted") tree.sweeper.addRecords(records);
    else await announce(records, tree.arrivals);
  }
}

async function announce(records: RecordList, arrivals: Arrivals | undefined): Promise<void> {
  if (arrivals === undefined) return;
  for await (const batch of batchesOf([records])) {
    if (!arrivals.arrived(batch.filter(({ isDir }) => !isDir))) return;
  }
}
