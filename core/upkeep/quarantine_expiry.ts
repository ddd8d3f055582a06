import { asError, type Log } from "../log.ts";
import { Periodic } from "../periodic.ts";
import type { SettledTime } from "../settled_time.ts";
import type { Quarantine } from "./ports.ts";

const HOUR_MS = 60 * 60_000;

/** What {@link expireQuarantine} works with. */
export interface QuarantineExpiry {
  readonly quarantine: Quarantine;
  readonly settledTime: SettledTime;
  readonly log: Log;
}

/** Removes content that has been in quarantine for its days (C 22): at once, then every hour. */
export function expireQuarantine(
  { quarantine, settledTime, log }: QuarantineExpiry,
): AsyncDisposable {
  return new Periodic(async () => {
    try {
      const removed = await quarantine.removeExpired(await settledTime());
      if (removed.count > 0) log.info("Removed content from quarantine", { ...removed });
    } catch (error) {
      // The next time tries again.
      log.error("Cannot remove content from quarantine", { error: asError(error) });
    }
  }, HOUR_MS);
}
