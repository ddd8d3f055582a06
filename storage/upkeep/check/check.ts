import { quarantinedHashes } from "../../content/directory/quarantine.ts";
import { isDamage } from "../../sqlite/integrity.ts";
import type { ContentTotals } from "../../sqlite/snapshot.ts";
import { isServed } from "../../disk/lock.ts";
import type { StorageOptions } from "../../stores/opening.ts";
import { isDamage as isPostgresDamage } from "../../postgres/failures.ts";
import { checkContents, ContentCheck, type ContentCheckResult } from "./check_contents.ts";
import { checkHistory } from "./check_history.ts";
import { checkObjects } from "./check_objects.ts";
import { checkRecords } from "./check_records.ts";
import { checkUploads } from "./check_uploads.ts";
import { Findings } from "./findings.ts";
import type { Subject } from "./subject.ts";

export interface CheckOptions extends Pick<StorageOptions, "database" | "content"> {
  /** Whether all content is read and hashed. */
  readonly readData: boolean;
  /** Whether to repair what can be repaired. No server may use the strongroom then. */
  readonly repair: boolean;
  /** Called while content is checked, with what is done of the total. */
  readonly onProgress: (done: ContentTotals, total: ContentTotals) => void;
}

export interface CheckResult extends ContentCheckResult {
  readonly findings: Findings;
  /** Whether servers were using the strongroom. */
  readonly served: boolean;
  readonly records: number;
  readonly quarantined: number;
  /** How many files of `uploads/` that nothing waits for the next start will remove. */
  readonly strayParts: number;
  /** How many objects of the content store servers are to delete. */
  readonly leaving: number;
}

const NOTHING: Omit<CheckResult, "findings" | "served" | "quarantined"> = {
  records: 0,
  contents: { files: 0, bytes: 0 },
  pending: 0,
  strayParts: 0,
  leaving: 0,
};

/**
 * Checks a strongroom (C 22, C 23): the database, the invariants of C 5, and the content of all records.
 * Without `repair` it only reads, and servers may use it meanwhile.
 * See docs/design/checks.md.
 *
 * @throws {Error} when the database is missing or cannot be opened, the content store cannot be read, or a
 *   server uses a strongroom that is to be repaired.
 */
export async function check(dataDir: string, options: CheckOptions): Promise<CheckResult> {
  const findings = new Findings();
  try {
    await using subject = await openSubject(dataDir, options, findings);
    const result = await checkSubject(subject, { dataDir, options, findings });
    await subject.finish();
    return result;
  } catch (error) {
    if (!(isDamage(error) || isPostgresDamage(error))) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    findings.add({ kind: "database", message: `The database is damaged: ${reason}` });
    const quarantined = await countQuarantined(dataDir);
    return {
      ...NOTHING,
      findings,
      quarantined,
      served: !options.repair && await isServed(dataDir),
    };
  }
}

async function openSubject(
  dataDir: string,
  { database, content, repair }: CheckOptions,
  findings: Findings,
): Promise<Subject> {
  if (database === undefined) {
    const embedded = await import("./embedded_subject.ts");
    return await embedded.openSubject(dataDir, { content, repair, findings });
  }
  const shared = await import("./shared_subject.ts");
  return await shared.openSubject(dataDir, database, { content, repair, findings });
}

interface CheckParts {
  readonly dataDir: string;
  readonly options: CheckOptions;
  readonly findings: Findings;
}

/** @throws {Error} when the engine cannot read the records. */
async function checkSubject(
  { audit, stored, objects, repairs, pending, isServed }: Subject,
  { dataDir, options: { readData, onProgress }, findings }: CheckParts,
): Promise<CheckResult> {
  const served = await isServed();
  const sound = await checkRecords(audit, findings, repairs !== undefined);
  if (sound) await checkHistory(audit, findings);
  const mayRepair = repairs !== undefined && sound;
  const total = await audit.totals;
  const options = {
    audit,
    stored,
    findings,
    readData,
    repairs: mayRepair ? repairs : undefined,
    isServed,
    pending,
    onProgress: (done: ContentTotals) => onProgress(done, total),
  };
  const content = new ContentCheck(options);
  const checked = await checkContents(content, options);
  const result = { ...checked, findings, served, records: await audit.records };
  if (objects === undefined) {
    const strayParts = await checkUploads(audit, dataDir, findings, { repair: mayRepair, served });
    return { ...result, strayParts, quarantined: await countQuarantined(dataDir), leaving: 0 };
  }
  await checkObjects({ ...objects, content, findings, readData, repair: mayRepair, isServed });
  const [quarantined, leaving] = [
    await objects.objects.quarantined(),
    await objects.objects.leaving(),
  ];
  return { ...result, strayParts: 0, quarantined, leaving };
}

async function countQuarantined(dataDir: string): Promise<number> {
  let count = 0;
  for await (const hashes of quarantinedHashes(dataDir)) count += hashes.length;
  return count;
}
