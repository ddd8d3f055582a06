import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import type { Quarantine } from "./ports.ts";

const HOUR_MS = 60 * 60_000;

/** Removes content that has been in quarantine for its days (C 22): at once, then every hour. */
export function expireQuarantine(quarantine: Quarantine, log: Log): AsyncDisposable {
  return new Periodic(async () => {
    try {
      const removed = await quarantine.removeExpired(Date.now());
      if (removed.count > 0) log.info("Removed content from quarantine", { ...removed });
    } catch (error) {
      // The next time tries again.
      log.error("Cannot remove content from quarantine", { error: asError(error) });
    }
  }, HOUR_MS);
}
