import type { LfsObjectStore } from "../lfs_objects.ts";
import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import { discardUpload, type UploadService } from "./resumable_upload.ts";

const INTERVAL_MS = 10 * 60_000;
/** How many rows are compared with the files at a time. */
const MAX_COMPARED = 500;

/** What waits in files of `uploads/`: uploads that are unfinished, and content for a commit. */
export interface ExpiryParts {
  readonly uploads: Pick<UploadService, "store" | "parts" | "locks">;
  readonly objects: LfsObjectStore;
  /** What the S3 door keeps. */
  readonly s3: { forgetOld(now: number): Promise<void> };
}

/**
 * Removes uploads (C 21) and content without a commit (C 20) that have expired: at once, then every ten
 * minutes. At first, also removes files without a row, which a crash has left, and rows without a file.
 */
export function expireUploads(parts: ExpiryParts, log: Log): AsyncDisposable {
  let isFirst = true;
  return new Periodic(async () => {
    try {
      if (isFirst) await compareFiles(parts);
      isFirst = false;
      await removeExpiredUploads(parts);
      await removeExpiredObjects(parts);
      await parts.s3.forgetOld(Date.now());
    } catch (error) {
      // The next time tries again.
      log.error("Cannot remove expired uploads", { error: asError(error) });
    }
  }, INTERVAL_MS);
}

async function removeExpiredUploads({ uploads }: ExpiryParts): Promise<void> {
  const { store, locks } = uploads;
  for (let ids; (ids = await store.expired(Date.now())).length > 0;) {
    const idle = ids.filter((id) => !locks.has(id));
    for (const id of idle) {
      using _lock = await locks.acquire(id, () => {});
      await discardUpload(uploads, id);
    }
    if (idle.length === 0) return;
  }
}

/** The row goes first: a commit that has found it takes it, or fails. */
async function removeExpiredObjects({ uploads: { parts }, objects }: ExpiryParts): Promise<void> {
  for (let ids; (ids = await objects.removeExpired(Date.now())).length > 0;) {
    for (const id of ids) await parts.remove(id);
  }
}

async function compareFiles(
  { uploads: { store, parts, locks }, objects }: ExpiryParts,
): Promise<void> {
  const ids = await parts.ids();
  if (ids === undefined) return;
  // Content is in its file before it has a row. Until then, its id is locked.
  const locked = new Set(ids.filter((id) => locks.has(id)));
  for (let start = 0; start < ids.length; start += MAX_COMPARED) {
    const page = ids.slice(start, start + MAX_COMPARED);
    const known = new Set([...await store.unfinished(page), ...await objects.present(page)]);
    for (const id of page) {
      if (!known.has(id) && !locked.has(id) && !locks.has(id)) await parts.remove(id);
    }
  }
  const found = new Set(ids);
  // Those that have begun since have a file.
  const isLost = async (id: string) => !found.has(id) && !(await parts.ids())?.includes(id);
  for (let page = [""]; page.length > 0;) {
    page = await store.unfinishedAfter(page.at(-1) ?? "", MAX_COMPARED);
    for (const id of page) if (!locks.has(id) && await isLost(id)) await store.remove(id);
  }
  for (let page = [""]; page.length > 0;) {
    page = await objects.idsAfter(page.at(-1) ?? "", MAX_COMPARED);
    for (const id of page) if (await isLost(id)) await objects.remove([id]);
  }
}
