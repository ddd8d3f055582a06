import { contentPaths, holdContent } from "../../content/directory/held_content.ts";
import { PREFIXES } from "../../content/paths.ts";
import { checkRecords } from "../check/check_records.ts";
import { Findings } from "../check/findings.ts";
import { SqliteRecordAudit } from "../../sqlite/record_audit.ts";
import type { ContentUse } from "../../tables/record_audit.ts";
import { type ContentTotals, copyDatabase } from "../../sqlite/snapshot.ts";
import { databasePath, refuseUnfinished, secretPath } from "../../disk/data_directory.ts";
import {
  makeDirectorySync,
  orMissing,
  orMissingSync,
  removeFile,
  syncDirectory,
} from "../../disk/files.ts";
import { isStorageFull, namingFullDisk } from "../../disk/storage_full.ts";
import { BackupDirectory } from "./backup_directory.ts";
import {
  checkSmallContents,
  contentsBelow,
  contentsOf,
  copyContents,
  type OnProgress,
  syncTree,
} from "./copy_contents.ts";
import { copyFile, syncAndHash } from "./copy_file.ts";
import type { SnapshotFacts } from "./manifest.ts";

export interface BackupSummary {
  /** What the backup holds. */
  readonly snapshot: SnapshotFacts;
  /** What is wrong in the data directory. Such content is not in the backup. */
  readonly findings: Findings;
  /** The contents of the snapshot that are in its database. */
  readonly inDatabase: ContentTotals;
  /** What this run has copied besides the database. */
  readonly copied: ContentTotals;
  /** How many contents this run has removed, because no record has them any more. */
  readonly removed: number;
}

/**
 * Backs up a data directory, while a server uses it or not (C 22): the state of the records at one
 * moment, and the contents of exactly these records. Contents that the backup holds already are not
 * read again.
 *
 * The backup changes at once, when its manifest is replaced. If this ends before, however it ends, the
 * backup holds its former state.
 * See docs/design/backups.md.
 *
 * @param path The directory of the backup.
 * @throws {Error} when there can be no new backup.
 */
export async function backUp(
  dataDir: string,
  path: string,
  onProgress: OnProgress,
): Promise<BackupSummary> {
  await refuseUnfinished(dataDir);
  const strongroomId = await idOf(dataDir);
  using directory = await BackupDirectory.openForBackup(path, dataDir);
  return await namingFullDisk(path, async () => {
    await directory.adopt(strongroomId);
    await directory.prepare();
    const former = directory.manifest?.snapshot?.number;
    const number = (former ?? 0) + 1;
    let removed = 0;
    const makeRoom = async () => {
      await directory.prepare();
      const databases = former === undefined ? [] : [databasePath(directory.snapshotPath(former))];
      removed = await removeObsolete(directory, [databasePath(dataDir), ...databases]);
      return removed > 0;
    };
    const { facts, findings, inDatabase, copied } = await againIfFull(
      () => copySnapshot(directory, dataDir, onProgress),
      makeRoom,
    );
    const snapshot = { number, ...facts };
    await Deno.rename(snapshotIn(directory), directory.snapshotPath(number));
    await syncDirectory(`${directory.path}/snapshots`);
    await directory.setManifest({ strongroom_id: strongroomId, snapshot });
    await directory.removeOldSnapshots();
    removed += await removeObsolete(directory, [databasePath(directory.snapshotPath(number))]);
    return { snapshot, findings, inDatabase, copied, removed };
  });
}

async function idOf(dataDir: string): Promise<string> {
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) {
    throw new Error(`"${dataDir}" holds no strongroom.db: there is nothing to back up`);
  }
  using audit = new SqliteRecordAudit(databasePath(dataDir), { repair: false });
  if (audit.hasObjects) {
    throw new Error(
      `The content of "${dataDir}" is in an object store, which backs it up itself: ` +
        "docs/guides/operating.md says how to back up the database with it",
    );
  }
  const { strongroomId } = audit;
  if (strongroomId !== undefined) return strongroomId;
  throw new Error(
    "An earlier version of strongroom wrote the database: start the server once, to migrate it",
  );
}

interface CopiedSnapshot {
  readonly facts: Omit<SnapshotFacts, "number">;
  readonly findings: Findings;
  readonly inDatabase: ContentTotals;
  readonly copied: ContentTotals;
}

/** Copies the database, the secret, and the contents of the records. */
async function copySnapshot(
  directory: BackupDirectory,
  dataDir: string,
  onProgress: OnProgress,
): Promise<CopiedSnapshot> {
  const folder = snapshotIn(directory);
  const database = databasePath(folder);
  makeDirectorySync(folder);
  // Before the database is copied: content that its records have must stay.
  using _hold = await holdContent(dataDir);
  const taken_at = new Date().toISOString();
  await copyDatabase(databasePath(dataDir), database);
  await orMissing(copyFile(secretPath(dataDir), secretPath(folder)));
  const sha256 = await syncAndHash(database);
  await syncDirectory(folder);
  using audit = new SqliteRecordAudit(database, { repair: false });
  const findings = new Findings();
  if (!await checkRecords(audit, findings, false)) throw damaged(findings);
  const inDatabase = checkSmallContents(audit, findings);
  const contents = `${directory.path}/contents`;
  const copied = await copyContents(() => missingFrom(directory, audit), {
    temporary: directory.temporary,
    root: contents,
    pathsOf: (content) => ({
      sources: contentPaths(dataDir, content.hash),
      target: directory.contentPath(content),
    }),
    findings,
    onProgress,
  });
  await syncTree(contents);
  const { records, totals } = audit;
  return {
    facts: { taken_at, sha256, records, ...totals, damaged: findings.found },
    findings,
    inDatabase,
    copied,
  };
}

function damaged({ listed: [first] }: Findings): Error {
  return new Error(`${first?.message}. Its backup keeps the former state`);
}

/** The contents that the backup does not hold. */
function* missingFrom(
  directory: BackupDirectory,
  audit: SqliteRecordAudit,
): Generator<ContentUse, void> {
  for (const content of contentsOf(audit)) {
    const path = directory.contentPath(content);
    if (orMissingSync(() => Deno.statSync(path))?.size !== content.size) yield content;
  }
}

/** Does some work once more if the disk was full and now has more room. */
async function againIfFull<T>(
  work: () => Promise<T>,
  makeRoom: () => Promise<boolean>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStorageFull(error) || !await makeRoom()) throw error;
    return await work();
  }
}

/** Removes the contents that none of the databases needs. Returns how many these are. */
async function removeObsolete(
  directory: BackupDirectory,
  databases: readonly string[],
): Promise<number> {
  using opened = new DisposableStack();
  const audits = databases.map((path) =>
    opened.use(new SqliteRecordAudit(path, { repair: false }))
  );
  let removed = 0;
  for (const prefix of PREFIXES) {
    const needed = new Set(
      audits.flatMap((audit) =>
        contentsBelow(audit, prefix).map((it) => directory.contentPath(it))
      ),
    );
    for (const path of await directory.contentsBelow(prefix)) {
      if (needed.has(path)) continue;
      await removeFile(path);
      removed++;
    }
  }
  return removed;
}

/** Where a snapshot is written. */
function snapshotIn(directory: BackupDirectory): string {
  return `${directory.temporary}/snapshot`;
}
