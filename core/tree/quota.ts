import { type Caller, ownerOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import type { TreeBounds } from "../decided_upload.ts";
import { AppError } from "../errors.ts";
import type { WriteTransaction } from "../ports.ts";
import { takenBy } from "../usage.ts";
import { formatBytes, KIB } from "../../schemas/units.ts";
import type { Tree } from "./changes.ts";

/** A tree may have a record for each of these bytes of its quota, as empty files take space too. */
const BYTES_PER_RECORD = KIB;
/** Every quota allows this many records. */
const MIN_RECORDS = 10_000;

/**
 * The quota of the tree that the request acts in, in bytes, or undefined without a quota (C 22).
 * See docs/design/usage.md.
 */
export function quotaOf({ limits }: Tree, caller: Caller): number | undefined {
  return caller.quota ?? limits.userQuota;
}

/**
 * Refuses content of a size that the client has stated, before its first byte (C 31).
 *
 * @param size The size in bytes, less what it replaces of the tree in `replacedBytes`.
 * @throws {AppError} `ErrResourcesQuotaExceeded` when it exceeds the quota, `ErrInternal` when the disk has
 *   no room for it.
 */
export async function requireRoom(
  tree: Tree,
  { caller, size, replacedBytes }: { caller: Caller; size: number; replacedBytes: number },
): Promise<void> {
  const room = await roomOf(tree, caller);
  await room.require(size, replacedBytes);
}

/** The room of a tree at a moment, for contents that are to come one after the other. */
export interface Room {
  /**
   * Refuses content that does not fit with those before it, and takes the room for it otherwise.
   *
   * @throws {AppError} as {@link requireRoom} does.
   */
  require(size: number, replacedBytes?: number): Promise<void>;
}

/** The room of the tree that the caller acts in. See {@link requireRoom}. */
export async function roomOf(tree: Tree, caller: Caller): Promise<Room> {
  const quota = quotaOf(tree, caller);
  const used = quota === undefined
    ? 0
    : takenBy(await tree.records.usage({ userId: ownerOf(caller), everyone: false }));
  let taken = 0;
  return {
    async require(size, replacedBytes = 0) {
      const exceeds = quota !== undefined && used + taken - replacedBytes + size > quota;
      if (exceeds && size > 0) throw tooManyBytes("upload", quota);
      await tree.blobs.requireSpace(taken + size);
      taken += size;
    },
  };
}

/**
 * Passes the content of an upload on, and stops as soon as it takes the tree beyond its quota.
 *
 * @param besides The bytes of the upload before this content.
 * @throws {AppError} `ErrResourcesQuotaExceeded`
 */
export function contentWithinQuota(
  tree: Tree,
  { caller, besides }: { caller: Caller; besides: number },
  content: AsyncIterable<Chunk>,
): AsyncIterable<Chunk> {
  const quota = quotaOf(tree, caller);
  return quota === undefined ? content : limited(quota);

  async function* limited(quota: number): AsyncGenerator<Chunk> {
    let size = besides;
    for await (const chunk of content) {
      size += chunk.length;
      // Other uploads may have ended meanwhile.
      const held = await tree.records.usage({ userId: ownerOf(caller), everyone: false });
      if (takenBy(held) + size > quota) throw tooManyBytes("upload", quota);
      yield chunk;
    }
  }
}

/**
 * Runs `work`, and refuses it if it adds to the tree and takes it beyond its quota. What an
 * administrator adds to the tree of another user without naming it is not limited.
 *
 * @throws {AppError} `ErrResourcesQuotaExceeded`
 */
export async function withinQuota<Result>(
  tree: Tree,
  { caller, verb, transaction }: { caller: Caller; verb: string; transaction: WriteTransaction },
  work: () => Promise<Result>,
): Promise<Result> {
  const quota = quotaOf(tree, caller);
  if (quota === undefined) return await work();
  const owner = ownerOf(caller);
  const before = await transaction.usage(owner);
  const result = await work();
  const after = await transaction.usage(owner);
  if (takenBy(after) > Math.max(quota, takenBy(before))) throw tooManyBytes(verb, quota);
  const maxRecords = maxRecordsOf(quota);
  if (after.records > Math.max(maxRecords, before.records)) {
    const allowed = `${maxRecords} files and directories (one for each KiB)`;
    throw exceeded(verb, `the quota of ${formatBytes(quota)} allows ${allowed}`);
  }
  return result;
}

/** The bounds within which the tree of the caller may grow, if it has a quota. */
export function boundsOf(tree: Tree, caller: Caller): TreeBounds | undefined {
  const quota = quotaOf(tree, caller);
  return quota === undefined ? undefined : { bytes: quota, records: maxRecordsOf(quota) };
}

function maxRecordsOf(quota: number): number {
  return Math.max(MIN_RECORDS, Math.floor(quota / BYTES_PER_RECORD));
}

/** The error for what exceeds a quota. */
export function tooManyBytes(verb: string, quota: number): AppError {
  return exceeded(verb, `the files exceed the quota of ${formatBytes(quota)}`);
}

function exceeded(verb: string, reason: string): AppError {
  return new AppError("ErrResourcesQuotaExceeded", `Cannot ${verb}: ${reason}`);
}
