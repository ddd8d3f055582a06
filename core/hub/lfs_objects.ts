import { randomBytes } from "node:crypto";
import { type Caller, ownerOf, permits } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError } from "../errors.ts";
import type { LfsOutcome, LfsPointer } from "../lfs_objects.ts";
import { invalidUpload } from "../tree/placement.ts";
import { contentWithinQuota, quotaOf, requireRoom, tooManyBytes } from "../tree/quota.ts";
import { refuseLarge } from "../tree/upload_size.ts";
import type { HubService, ParkRequest } from "./ports.ts";

/** The most objects of a tree that wait for a commit: each one takes a file. */
const MAX_OBJECTS = 10_000;
/** The length of an id in bytes: 128 random bits. */
const ID_BYTES = 16;

/**
 * Receives content, and keeps it until a commit takes it or it expires (C 20). It is not part of the tree,
 * and counts against its quota.
 * See docs/design/hub_commits.md.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when the content does not have the size and SHA-256 that
 *   the request states, `ErrResourcesInvalidRequest` when it is too large or too many objects wait,
 *   `ErrResourcesQuotaExceeded`.
 */
export async function parkObject(
  hub: HubService,
  { caller, sha256, size, content }: ParkRequest,
): Promise<void> {
  const { tree, objects, parked, locks, expiryMs } = hub;
  refuseLarge(tree, { path: sha256, size });
  await requireRoom(tree, { caller, size, replacedBytes: 0 });
  await using blob = await tree.blobs.stage(
    contentWithinQuota(tree, { caller, besides: 0 }, atMost(size, content)),
  );
  if (blob.size !== size) throw mismatch(`${blob.size} bytes instead of ${size}`);
  if (blob.sha256 !== sha256) throw mismatch(`the SHA-256 ${blob.sha256} instead of ${sha256}`);
  const id = randomBytes(ID_BYTES).toString("hex");
  const { hash, crc32 } = blob;
  const now = Date.now();
  // Until the file has a row, a start must not take it for one that a crash has left.
  using _lock = await locks.acquire(id, () => {});
  await parked.park(id, blob);
  let outcome: LfsOutcome | undefined;
  try {
    outcome = await objects.add({
      ...{ id, sha256, size, hash, crc32 },
      userId: ownerOf(caller),
      createdBy: caller.userId,
      createdAt: now,
      expiresAt: now + expiryMs,
    }, { maxObjects: MAX_OBJECTS, quota: quotaOf(tree, caller) });
  } finally {
    if (outcome !== "added") await parked.remove(id);
  }
  if (outcome === "overQuota") throw tooManyBytes("upload", quotaOf(tree, caller) ?? 0);
  if (outcome === "tooMany") {
    throw invalidUpload(
      `${MAX_OBJECTS} contents wait for a commit; commit some, or wait until they expire`,
    );
  }
}

/**
 * Says of each content whether the tree that the caller acts in has it, in a file or waiting for a commit.
 * Those who may not see the files do not learn which they are. Neither the answers nor the time tell what
 * other trees have.
 */
export async function findObjects(
  { objects }: Pick<HubService, "objects">,
  caller: Caller,
  pointers: readonly LfsPointer[],
): Promise<boolean[]> {
  const [owner, now] = [ownerOf(caller), Date.now()];
  if (permits(caller, "resources.view")) return await objects.holds(owner, pointers, now);
  const waiting = await objects.waiting(owner, pointers.map(({ sha256 }) => sha256), now);
  const sizes = new Map(waiting.map(({ sha256, size }) => [sha256, size]));
  return pointers.map(({ sha256, size }) => sizes.get(sha256) === size);
}

/** Passes content on, and refuses what is more than it should be. */
async function* atMost(size: number, content: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  let received = 0;
  for await (const chunk of content) {
    received += chunk.length;
    if (received > size) throw mismatch(`more than ${size} bytes`);
    yield chunk;
  }
}

function mismatch(reason: string): AppError {
  return new AppError("ErrResourcesInvalidData", `Cannot upload: the content has ${reason}`);
}
