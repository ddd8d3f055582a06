import type { EventSink } from "../events.ts";
import { asError, type Log } from "../log.ts";
import type { BlobStore, ResourceRecord, ResourceStore, WriteTransaction } from "../ports.ts";

/** One record that an operation added, updated or deleted (RS 6). */
export interface Change {
  readonly kind: "added" | "updated" | "deleted";
  readonly record: ResourceRecord;
}

/** What an operation changed, in the order in which it is told (RS 4.4 common 5). */
export type ChangeSet = readonly Change[];

/** A change as subscribers of its owner see it (RS 6, C 11). */
export interface ResourceEvent {
  readonly type: `resource.${Change["kind"]}`;
  readonly record: ResourceRecord;
}

/** Limits of one upload (RS 8, C 6). Sizes are bytes. */
export interface UploadLimits {
  readonly maxUploadRequestSize: number;
  readonly maxUploadFiles: number;
  readonly maxUploadFileSize: number;
  readonly maxUploadTotalSize: number;
}

/** What the tree operations work on. */
export interface Tree {
  readonly records: ResourceStore;
  readonly blobs: BlobStore;
  readonly events: EventSink<ResourceEvent>;
  readonly limits: UploadLimits;
  readonly log: Log;
}

/** The records of one kind of change or effect, in order. */
export function recordsOf<Kind extends string>(
  changes: readonly { readonly kind: Kind; readonly record: ResourceRecord }[],
  kind: Kind,
): ResourceRecord[] {
  return changes.filter((change) => change.kind === kind).map((change) => change.record);
}

/** Each record as a change of the given kind. */
export function changesOf(kind: Change["kind"], records: readonly ResourceRecord[]): Change[] {
  return records.map((record) => ({ kind, record }));
}

/**
 * Runs `work` in one write transaction, publishes the changes that it returns, and removes content
 * that lost its last reference (C 5.4). Nothing is published, and nothing has changed, where it throws.
 *
 * The events go out before the next transaction may start, which makes their order the commit order
 * (C 11): a route that published after its reply was ready could be overtaken.
 */
export async function commit(
  tree: Tree,
  work: (transaction: WriteTransaction) => Promise<ChangeSet>,
): Promise<ChangeSet> {
  const changes = await tree.records.write(work, {
    onCommit: (changes) =>
      tree.events.publish(
        changes.map(({ kind, record }) => ({ type: `resource.${kind}` as const, record })),
      ),
  });
  await sweep(tree, recordsOf(changes, "deleted").map((record) => record.hash));
  return changes;
}

/**
 * Removes content as {@link removeUnreferenced} does, for an operation whose outcome is settled
 * already: a failure is logged, and the next start removes what stayed (C 5.4).
 */
export async function sweep(tree: Tree, hashes: readonly string[]): Promise<void> {
  try {
    await removeUnreferenced(tree, hashes);
  } catch (error) {
    tree.blobs.needsSweep = true;
    tree.log.error("Cannot remove content that no record holds", {
      error: asError(error),
    });
  }
}

/** How many hashes one transaction looks at: others get their turn in between. */
const REMOVAL_BATCH = 256;

/**
 * Removes the content of those hashes that no record holds. The look and the removal share a write
 * transaction, so that no upload of the same content comes between them (C 12).
 */
export async function removeUnreferenced(
  tree: Pick<Tree, "records" | "blobs">,
  hashes: readonly string[],
): Promise<void> {
  const distinct = [...new Set(hashes)].filter((hash) => hash !== "");
  for (let at = 0; at < distinct.length; at += REMOVAL_BATCH) {
    const batch = distinct.slice(at, at + REMOVAL_BATCH);
    await tree.records.write(async (transaction) => {
      await tree.blobs.remove(await transaction.unreferenced(batch));
    }, { alone: true });
  }
}
