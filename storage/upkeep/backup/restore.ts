import { blobPath } from "../../content/paths.ts";
import { SqliteRecordAudit } from "../../sqlite/record_audit.ts";
import { checkRecords } from "../check/check_records.ts";
import { Findings } from "../check/findings.ts";
import {
  blobDirectory,
  databasePath,
  restoringPath,
  secretPath,
} from "../../disk/data_directory.ts";
import { makeDirectorySync, orMissing, syncDirectory } from "../../disk/files.ts";
import { lockDirectory } from "../../disk/lock_wait.ts";
import { namingFullDisk } from "../../disk/storage_full.ts";
import { BackupDirectory, OF_FILE_SYSTEM } from "./backup_directory.ts";
import {
  checkSmallContents,
  contentsOf,
  copyContents,
  type OnProgress,
  syncTree,
} from "./copy_contents.ts";
import { copyFile } from "./copy_file.ts";
import type { SnapshotFacts } from "./manifest.ts";

export interface RestoreSummary {
  readonly snapshot: SnapshotFacts;
  /** What is missing from the backup or damaged in it. */
  readonly findings: Findings;
}

/**
 * Restores a backup into an empty data directory, and verifies it (C 22). No server starts there before
 * this has ended. If it was interrupted, it can be repeated.
 * See docs/design/backups.md.
 *
 * @param path The directory of the backup.
 * @throws {Error} when it cannot be restored. The rest is restored if
 *   contents are missing or damaged.
 */
export async function restore(
  dataDir: string,
  path: string,
  onProgress: OnProgress,
): Promise<RestoreSummary> {
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  using directory = await BackupDirectory.openForRestore(path, dataDir);
  const facts = directory.manifest?.snapshot;
  if (!facts) throw new Error(`"${path}" holds no complete backup`);
  using locks = new DisposableStack();
  if (!await lockDirectory(dataDir, locks)) {
    throw new Error(`The data directory "${dataDir}" is in use by another process`);
  }
  return await namingFullDisk(dataDir, async () => {
    await begin(dataDir);
    const findings = await copyParts(directory, facts, dataDir, onProgress);
    await end(dataDir);
    return { snapshot: facts, findings };
  });
}

/** Checks that the directory is empty, or removes what an interrupted restore has left. */
async function begin(dataDir: string): Promise<void> {
  const names = (await Array.fromAsync(Deno.readDir(dataDir), ({ name }) => name))
    .filter((name) => name !== OF_FILE_SYSTEM);
  const restoring = restoringPath(dataDir);
  if (await orMissing(Deno.lstat(restoring)) === undefined) {
    const [first] = names;
    if (first !== undefined) {
      throw new Error(
        `The data directory "${dataDir}" is not empty: it holds ${JSON.stringify(first)}`,
      );
    }
  } else {
    for (const name of names) {
      const path = `${dataDir}/${name}`;
      if (path !== restoring) await Deno.remove(path, { recursive: true });
    }
    await Deno.remove(restoring, { recursive: true });
  }
  makeDirectorySync(restoring);
  await syncDirectory(dataDir);
}

/** Copies everything to its place, but for the database, which is last. */
async function copyParts(
  directory: BackupDirectory,
  facts: SnapshotFacts,
  dataDir: string,
  onProgress: OnProgress,
): Promise<Findings> {
  const source = directory.snapshotPath(facts.number);
  const restoring = restoringPath(dataDir);
  const sha256 = await copyFile(databasePath(source), databasePath(restoring));
  if (sha256 !== facts.sha256) throw damaged(directory);
  using audit = new SqliteRecordAudit(databasePath(restoring), { repair: false });
  const findings = new Findings();
  if (!await checkRecords(audit, findings, false)) throw damaged(directory);
  await orMissing(copyFile(secretPath(source), secretPath(dataDir)));
  checkSmallContents(audit, findings);
  const blobs = blobDirectory(dataDir);
  makeDirectorySync(blobs);
  await copyContents(() => contentsOf(audit), {
    temporary: restoring,
    root: blobs,
    pathsOf: (content) => ({
      sources: [directory.contentPath(content)],
      target: `${blobs}/${blobPath(content.hash)}`,
    }),
    findings,
    onProgress,
  });
  await syncTree(blobs);
  return findings;
}

function damaged({ path }: BackupDirectory): Error {
  return new Error(`The database of the backup "${path}" is damaged`);
}

/** Moves the database to its place, and lets servers start. */
async function end(dataDir: string): Promise<void> {
  const restoring = restoringPath(dataDir);
  await Deno.rename(databasePath(restoring), databasePath(dataDir));
  await syncDirectory(dataDir);
  await Deno.remove(restoring);
  await syncDirectory(dataDir);
}
