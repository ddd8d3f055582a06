import { BlobInventory } from "../blobs/blob_inventory.ts";
import { quarantinedHashes } from "../blobs/quarantine.ts";
import { isDamage } from "../database/integrity.ts";
import { RecordAudit } from "../database/record_audit.ts";
import type { ContentTotals } from "../database/snapshot.ts";
import { databasePath, refuseUnfinishedRestore } from "../disk/data_directory.ts";
import { orMissing } from "../disk/files.ts";
import { DirectoryLock, type LockState, lockState } from "../disk/lock.ts";
import { checkContents, type ContentCheckResult } from "./check_contents.ts";
import { checkRecords } from "./check_records.ts";
import { checkUploads } from "./check_uploads.ts";
import { ContentRepairs } from "./content_repairs.ts";
import { Findings } from "./findings.ts";
import { StoredContents } from "./stored_contents.ts";

export interface CheckOptions {
  /** Whether all content is read and hashed. */
  readonly readData: boolean;
  /** Whether to repair what can be repaired. No server may use the directory then. */
  readonly repair: boolean;
  /** Called while content is checked, with what is done of the total. */
  readonly onProgress: (done: ContentTotals, total: ContentTotals) => void;
}

export interface CheckResult {
  readonly findings: Findings;
  /** Whether a server was using the directory. */
  readonly served: boolean;
  readonly records: number;
  /** The stored contents of records. */
  readonly contents: ContentTotals;
  /** How many contents without a record the next start will move into quarantine. */
  readonly pending: number;
  readonly quarantined: number;
  /** How many files of `uploads/` that nothing waits for the next start will remove. */
  readonly strayParts: number;
}

/**
 * Checks a data directory (C 22): the database, the invariants of C 5, and the content of all records.
 * Without `repair` it only reads, and a server may use the directory meanwhile.
 *
 * @throws {Error} when there is no database, it cannot be opened, or a server uses a directory that is
 *   to be repaired.
 */
export async function check(dataDir: string, options: CheckOptions): Promise<CheckResult> {
  await refuseUnfinishedRestore(dataDir);
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) {
    throw new Error(`"${dataDir}" holds no strongroom.db: there is nothing to check`);
  }
  if (!options.repair) {
    return await checkWith(dataDir, await lockState(dataDir), { ...options, repair: false });
  }
  using lock = await DirectoryLock.acquire(dataDir, () => {});
  const { afterCrash, generation } = lock;
  // If this is killed, a start compares everything.
  lock.sealed = false;
  const state = { served: false, afterCrash, sealed: false, generation };
  const result = await checkWith(dataDir, state, options);
  // After a crash, the next start recovers nevertheless.
  if (!afterCrash) await lock.markCleanStop();
  return result;
}

async function checkWith(
  dataDir: string,
  state: LockState,
  options: CheckOptions,
): Promise<CheckResult> {
  const findings = new Findings();
  const { served } = state;
  using inventory = new BlobInventory(dataDir);
  const quarantined = await countQuarantined(dataDir);
  try {
    const checked = await checkAll(dataDir, { state, options, findings, inventory });
    return { findings, served, quarantined, ...checked };
  } catch (error) {
    if (!isDamage(error)) throw error;
    findings.add({ kind: "database", message: `The database is damaged: ${error.message}` });
    const contents = { files: 0, bytes: 0 };
    return { findings, served, quarantined, records: 0, contents, pending: 0, strayParts: 0 };
  }
}

interface CheckParts {
  readonly state: LockState;
  readonly options: CheckOptions;
  readonly findings: Findings;
  readonly inventory: BlobInventory;
}

/** @throws {Error} when SQLite cannot read the records. */
async function checkAll(
  dataDir: string,
  { state, options: { readData, repair, onProgress }, findings, inventory }: CheckParts,
): Promise<ContentCheckResult & Pick<CheckResult, "records" | "strayParts">> {
  const older = isOlder(dataDir, state.generation, findings);
  // What seems to be wrong may be right with the database that belongs here.
  const mayRepair = repair && !older;
  using audit = new RecordAudit(databasePath(dataDir), { repair: mayRepair });
  if (audit.hasObjects) {
    throw new Error(
      `The content of "${dataDir}" is in an object store, which "strongroom check" does not read: ` +
        "the server finds damage by its scrub and when content is read",
    );
  }
  const sound = checkRecords(audit, findings, mayRepair);
  const total = audit.totals;
  const stored = new StoredContents(inventory, audit.small);
  const checked = await checkContents({
    audit,
    stored,
    findings,
    readData,
    repairs: mayRepair && sound ? new ContentRepairs(dataDir, stored) : undefined,
    isServed: async () => !repair && (await lockState(dataDir)).served,
    pending: !state.afterCrash ? "none" : state.sealed ? "announced" : "all",
    onProgress: (done) => onProgress(done, total),
  });
  const { served } = state;
  const strayParts = await checkUploads(dataDir, findings, { repair: mayRepair && sound, served });
  return { records: audit.records, strayParts, ...checked };
}

/** Reads on a connection of its own: the database that belongs here may need its log unchanged. */
function isOlder(dataDir: string, generation: number, findings: Findings): boolean {
  using audit = new RecordAudit(databasePath(dataDir), { repair: false });
  const found = audit.generation;
  if (found >= generation) return false;
  const message =
    `The database has lost changes: its generation is ${found}, but a server has recorded ` +
    `${generation}. Put back the right one with its log strongroom.db-wal before any repair`;
  findings.add({ kind: "generation", message });
  return true;
}

async function countQuarantined(dataDir: string): Promise<number> {
  let count = 0;
  for await (const hashes of quarantinedHashes(dataDir)) count += hashes.length;
  return count;
}
