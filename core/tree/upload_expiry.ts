import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import { discardUpload, type UploadService } from "./resumable_upload.ts";

const INTERVAL_MS = 10 * 60_000;
/** How many uploads are compared with the parts at a time. */
const MAX_COMPARED = 500;

/**
 * Removes uploads that have expired (C 21): at once, then every ten minutes. At first, also removes parts
 * without an unfinished upload, which a crash has left, and unfinished uploads without a part.
 */
export function expireUploads(service: UploadService, log: Log): AsyncDisposable {
  let isFirst = true;
  return new Periodic(async () => {
    try {
      if (isFirst) await compareParts(service);
      isFirst = false;
      await removeExpired(service);
    } catch (error) {
      // The next time tries again.
      log.error("Cannot remove expired uploads", { error: asError(error) });
    }
  }, INTERVAL_MS);
}

async function removeExpired(service: UploadService): Promise<void> {
  const { store, locks } = service;
  for (let ids; (ids = await store.expired(Date.now())).length > 0;) {
    const idle = ids.filter((id) => !locks.has(id));
    for (const id of idle) {
      using _lock = await locks.acquire(id, () => {});
      await discardUpload(service, id);
    }
    if (idle.length === 0) return;
  }
}

async function compareParts({ store, parts, locks }: UploadService): Promise<void> {
  const ids = await parts.ids();
  for (let start = 0; start < ids.length; start += MAX_COMPARED) {
    const page = ids.slice(start, start + MAX_COMPARED);
    const unfinished = new Set(await store.unfinished(page));
    for (const id of page) if (!unfinished.has(id) && !locks.has(id)) await parts.remove(id);
  }
  const found = new Set(ids);
  // Those that have begun since have a part.
  for (let page = [""]; page.length > 0;) {
    page = await store.unfinishedAfter(page.at(-1) ?? "", MAX_COMPARED);
    for (const id of page) {
      if (!found.has(id) && !(await parts.ids()).includes(id)) await store.remove(id);
    }
  }
}
