import type { DamageLog } from "../damage.ts";
import type { Gate } from "../gate.ts";
import type { Verdicts } from "../verdicts.ts";
import type { EventSink } from "../events.ts";
import type { Log } from "../log.ts";
import type { BlobStore } from "../blob_store.ts";
import type { ResourceRecord, ResourceStore, WriteTransaction } from "../ports.ts";
import type { Sweeper } from "./sweeper.ts";

/** A record that an operation added, updated or deleted (RS 6). */
export interface Change {
  readonly kind: "added" | "updated" | "deleted";
  readonly record: ResourceRecord;
}

/** The changes of an operation, in the order of publication (RS 4.4 common 5). */
export type ChangeSet = readonly Change[];

/** A change, as the owner's subscribers receive it (RS 6, C 11). */
export interface ResourceEvent {
  readonly type: `resource.${Change["kind"]}`;
  readonly record: ResourceRecord;
}

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
  readonly records: ResourceStore;
  readonly blobs: BlobStore;
  readonly events: EventSink<ResourceEvent>;
  readonly limits: UploadLimits;
  readonly log: Log;
  readonly damage: DamageLog;
  readonly verdicts: Verdicts;
  /** Refuses content; left out if all may be downloaded. */
  readonly gate?: Gate | undefined;
  /** Receives files with their content and name; left out if none is scanned by itself. */
  readonly arrivals?: Arrivals | undefined;
}

/** Receives the files that operations have added or changed. */
export interface Arrivals {
  arrived(files: readonly ResourceRecord[]): void;
}

/** What the tree operations work with. */
export interface Tree extends TreeParts {
  readonly sweeper: Sweeper;
}

/** The records of the changes or effects of one kind, in order. */
export function recordsOf<Kind extends string>(
  changes: readonly { readonly kind: Kind; readonly record: ResourceRecord }[],
  kind: Kind,
): ResourceRecord[] {
  return changes.filter((change) => change.kind === kind).map((change) => change.record);
}

/** One change of the given kind per record. */
export function changesOf(kind: Change["kind"], records: readonly ResourceRecord[]): Change[] {
  return records.map((record) => ({ kind, record }));
}

/**
 * Runs `work` in one write transaction, and publishes the changes that it returns. Content that has lost
 * its last reference is removed shortly afterwards (C 5.4). If `work` throws, nothing changes and nothing is published.
 *
 * Events are published before the next transaction starts, so they are in commit order (C 11). If
 * routes published them after the commit, a later request could overtake an earlier one.
 */
export async function commit(
  tree: Tree,
  work: (transaction: WriteTransaction) => Promise<ChangeSet>,
): Promise<ChangeSet> {
  const changes = await tree.records.write(work, {
    onCommit: (changes) => {
      tree.events.publish(
        changes.map(({ kind, record }) => ({ type: `resource.${kind}` as const, record })),
      );
      tree.arrivals?.arrived(
        changes.flatMap(({ kind, record }) => kind === "deleted" || record.isDir ? [] : [record]),
      );
    },
  });
  tree.sweeper.add(recordsOf(changes, "deleted").map((record) => record.hash));
  return changes;
}
