import type { DamageLog } from "../../core/damage.ts";
import type { Log } from "../../core/log.ts";
import { ScanRetention } from "../../core/scans/retention.ts";
import type { UploadService } from "../../core/tree/resumable_upload.ts";
import { expireUploads } from "../../core/tree/upload_expiry.ts";
import { collectDropped } from "../../core/upkeep/collection.ts";
import { forgetProperties } from "../../core/upkeep/forget_properties.ts";
import { HistoryRetention } from "../../core/upkeep/history_retention.ts";
import { expireQuarantine } from "../../core/upkeep/quarantine_expiry.ts";
import { SearchUpkeep } from "../../core/upkeep/search_upkeep.ts";
import { Scrub } from "../../core/upkeep/scrub.ts";
import { Sha256Completion } from "../../core/upkeep/sha256_completion.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Storage } from "../../storage/stores/storage.ts";

const DAY_MS = 24 * 60 * 60_000;

/** What upkeep works with. */
export interface UpkeepParts {
  readonly storage: Storage;
  readonly settings: Settings;
  readonly log: Log;
  readonly damage: DamageLog;
  readonly uploads: UploadService;
}

/** Starts what a server does by itself: it gives up what is over, and reads what nobody has read for long. */
export async function startUpkeep(
  parts: AsyncDisposableStack,
  { storage: { records, blobs }, settings, log, damage, uploads }: UpkeepParts,
): Promise<void> {
  const settledTime = () => records.upkeep.settledTime(Date.now());
  const { shared } = records;
  const days = settings.scanRetentionDays;
  parts.use(new ScanRetention({ scans: records.scans, days, settledTime, log }));
  await records.history.turn(settings.history > 0);
  parts.use(
    new HistoryRetention({
      ...{ records, blobs, history: records.history, shared, room: blobs.room, settledTime, log },
      keepMs: settings.history,
      maxBytes: settings.historyMaxBytes ?? settings.userQuota ??
        (blobs.room === undefined ? Infinity : blobs.room.diskBytes / 2),
    }),
  );
  parts.use(new SearchUpkeep({ index: records.searchIndex, tree: uploads.tree, log, shared }));
  parts.use(expireQuarantine({ quarantine: blobs.quarantine, settledTime, log }));
  if (shared !== undefined) parts.use(collectDropped({ records, blobs, shared, log }));
  parts.use(forgetProperties(records.dav, log));
  parts.use(expireUploads({ uploads, objects: records.objects, s3: records.s3 }, log));
  const periodMs = settings.scrubDays * DAY_MS;
  parts.use(new Sha256Completion({ store: records.upkeep, blobs, damage, log }));
  parts.use(new Scrub({ store: records.upkeep, blobs, damage, log, periodMs }));
}
