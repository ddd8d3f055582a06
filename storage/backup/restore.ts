import { blobDirectory, blobPath } from "../blobs/paths.ts";
import { Snapshot } from "../database/snapshot.ts";
import { databasePath, restoringPath, secretPath } from "../disk/data_directory.ts";
import { makeDirectorySync, orMissing, syncDirectory } from "../disk/files.ts";
import { lockDirectory } from "../disk/lock.ts";
import type { CopyEvents } from "./back_up.ts";
import { namingFullDisk } from "../disk/storage_full.ts";
import { BackupDirectory, OF_FILE_SYSTEM } from "./backup_directory.ts";
import { copyContents, syncTree } from "./copy_contents.ts";
import { copyFile } from "./copy_file.ts";
import type { SnapshotFacts } from "./manifest.ts";

export interface RestoreSummary {
  readonly snapshot: SnapshotFacts;
  /** How many contents are missing from the backup or damaged in it. */
  readonly damaged: number;
}

/**
 * Restores a backup into an empty data directory, and verifies it (C 22). No server starts there before
 * this has ended. If it was interrupted, it can be repeated.
 *
 * @param path The directory of the backup.
 * @throws {Error} when it cannot be restored. What is damaged in it is reported to `events` instead.
 */
export async function restore(
  dataDir: string,
  path: string,
  events: CopyEvents,
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
    const damaged = await copyParts(directory, facts, dataDir, events);
    await end(dataDir);
    return { snapshot: facts, damaged };
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
  events: CopyEvents,
): Promise<number> {
  const source = directory.snapshotPath(facts.number);
  const restoring = restoringPath(dataDir);
  const sha256 = await copyFile(databasePath(source), databasePath(restoring));
  if (sha256 !== facts.sha256) {
    throw new Error(`The database of the backup "${directory.path}" is damaged`);
  }
  await orMissing(copyFile(secretPath(source), secretPath(dataDir)));
  using snapshot = new Snapshot(databasePath(restoring));
  snapshot.check();
  makeDirectorySync(blobDirectory(dataDir));
  const total = snapshot.totals;
  let damaged = 0;
  await copyContents(snapshot.contents(), {
    temporary: restoring,
    root: blobDirectory(dataDir),
    sourcesOf: (content) => [directory.contentPath(content)],
    targetOf: ({ hash }) => `${blobDirectory(dataDir)}/${blobPath(hash)}`,
    onProgress: (done) => events.onProgress(done, total),
    onDamage(damage) {
      damaged++;
      events.onDamage(damage, snapshot.usesOf(damage.hash));
    },
  });
  await syncTree(blobDirectory(dataDir));
  return damaged;
}

/** Moves the database to its place, and lets servers start. */
async function end(dataDir: string): Promise<void> {
  const restoring = restoringPath(dataDir);
  await Deno.rename(databasePath(restoring), databasePath(dataDir));
  await syncDirectory(dataDir);
  await Deno.remove(restoring);
  await syncDirectory(dataDir);
}
