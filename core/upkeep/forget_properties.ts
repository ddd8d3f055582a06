import type { DavStore } from "../locks.ts";
import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";

/** How often to look for them, in milliseconds. */
const INTERVAL_MS = 24 * 60 * 60_000;

/** Forgets what clients of WebDAV have said about records that are gone: at once, then every day. */
export function forgetProperties(store: Pick<DavStore, "forgetProperties">, log: Log): Periodic {
  return new Periodic(async () => {
    try {
      await store.forgetProperties();
    } catch (error) {
      // The next time tries again.
      log.error("Cannot forget properties", { error: asError(error) });
    }
  }, INTERVAL_MS);
}
