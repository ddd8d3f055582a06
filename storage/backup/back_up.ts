import type { DamagedContent } from "../../core/errors.ts";
import type { ContentFacts } from "../../core/ports.ts";
import { contentPaths, holdContent } from "../blobs/held_content.ts";
import {
  type ContentTotals,
  type ContentUses,
  copyDatabase,
  Snapshot,
} from "../database/snapshot.ts";
import { databasePath, refuseUnfinishedRestore, secretPath } from "../disk/data_directory.ts";
import {
  makeDirectorySync,
  orMissing,
  orMissingSync,
  removeFile,
  syncDirectory,
} from "../disk/files.ts";
import { namingFullDisk } from "../disk/storage_full.ts";
import { BackupDirectory } from "./backup_directory.ts";
import { copyContents, syncTree } from "./copy_contents.ts";
import { copyFile, syncAndHash } from "./copy_file.ts";
import type { SnapshotFacts } from "./manifest.ts";

/** What happens while contents are copied. */
export interface CopyEvents {
  /** Called often, with what is done of the total. */
  onProgress(done: ContentTotals, total: ContentTotals): void;
  /** Called for each content that is missing or damaged, with some of the records that name it. */
  onDamage(damage: DamagedContent, uses: ContentUses): void;
}

export interface BackupSummary {
  /** What the backup holds. */
  readonly snapshot: SnapshotFacts;
  /** What this run has copied. */
  readonly copied: ContentTotals;
  /** How many contents this run has removed, because no record names them any more. */
  readonly removed: number;
}

/**
 * Backs up a data directory, while a server uses it or not (C 22): the state of the records at one
 * moment, and the contents of exactly these records. Contents that the backup holds already are not
 * read again.
 *
 * The backup changes at once, when its manifest is replaced. If this ends before, however it ends, the
 * backup holds its former state.
 *
 * @param path The directory of the backup.
 * @throws {Error} when there can be no new backup.
 */
export async function backUp(
  dataDir: string,
  path: string,
  events: CopyEvents,
): Promise<BackupSummary> {
  await refuseUnfinishedRestore(dataDir);
  const strongroomId = await idOf(dataDir);
  using directory = await BackupDirectory.openForBackup(path, dataDir);
  return await namingFullDisk(path, async () => {
    await directory.adopt(strongroomId);
    await directory.prepare();
    const number = (directory.manifest?.snapshot?.number ?? 0) + 1;
    const { facts, copied } = await copySnapshot(directory, dataDir, events);
    const snapshot = { number, ...facts };
    await Deno.rename(snapshotIn(directory), directory.snapshotPath(number));
    await syncDirectory(`${directory.path}/snapshots`);
    await directory.setManifest({ strongroom_id: strongroomId, snapshot });
    return { snapshot, copied, removed: await removeObsolete(directory) };
  });
}

async function idOf(dataDir: string): Promise<string> {
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) {
    throw new Error(`"${dataDir}" holds no strongroom.db: there is nothing to back up`);
  }
  using database = new Snapshot(databasePath(dataDir));
  return database.strongroomId;
}

/** Copies the database, the contents of its records, and the secret. */
async function copySnapshot(
  directory: BackupDirectory,
  dataDir: string,
  events: CopyEvents,
): Promise<{ facts: Omit<SnapshotFacts, "number">; copied: ContentTotals }> {
  // Before the database is copied: content that its records name must stay.
  using _hold = await holdContent(dataDir);
  const folder = snapshotIn(directory);
  const database = databasePath(folder);
  makeDirectorySync(folder);
  const takenAt = new Date().toISOString();
  await copyDatabase(databasePath(dataDir), database);
  await orMissing(copyFile(secretPath(dataDir), secretPath(folder)));
  const sha256 = await syncAndHash(database);
  using snapshot = new Snapshot(database);
  snapshot.check();
  const { copied, damaged } = await copyMissing({ directory, dataDir, snapshot, events });
  await syncTree(`${directory.path}/contents`);
  await syncDirectory(folder);
  const { records, totals } = snapshot;
  return { facts: { taken_at: takenAt, sha256, records, ...totals, damaged }, copied };
}

async function copyMissing(
  { directory, dataDir, snapshot, events }: {
    readonly directory: BackupDirectory;
    readonly dataDir: string;
    readonly snapshot: Snapshot;
    readonly events: CopyEvents;
  },
): Promise<{ copied: ContentTotals; damaged: number }> {
  const total = totalsOf(missing(snapshot, directory));
  let damaged = 0;
  const copied = await copyContents(missing(snapshot, directory), {
    temporary: directory.temporary,
    root: `${directory.path}/contents`,
    sourcesOf: ({ hash }) => contentPaths(dataDir, hash),
    targetOf: (content) => directory.contentPath(content),
    onProgress: (done) => events.onProgress(done, total),
    onDamage(damage) {
      damaged++;
      events.onDamage(damage, snapshot.usesOf(damage.hash));
    },
  });
  return { copied, damaged };
}

/** The contents that the backup does not hold, in pages. */
function* missing(
  snapshot: Snapshot,
  directory: BackupDirectory,
): Generator<readonly ContentFacts[], void> {
  for (const page of snapshot.contents()) {
    yield page.filter((content) => {
      const path = directory.contentPath(content);
      return orMissingSync(() => Deno.statSync(path))?.size !== content.size;
    });
  }
}

function totalsOf(pages: Iterable<readonly ContentFacts[]>): ContentTotals {
  let [files, bytes] = [0, 0];
  for (const page of pages) {
    files += page.length;
    bytes += page.reduce((sum, { size }) => sum + size, 0);
  }
  return { files, bytes };
}

/** Removes what the current snapshot does not need. Returns the number of contents that it removed. */
async function removeObsolete(directory: BackupDirectory): Promise<number> {
  await directory.removeOldSnapshots();
  const number = directory.manifest?.snapshot?.number;
  if (number === undefined) return 0;
  using snapshot = new Snapshot(databasePath(directory.snapshotPath(number)));
  let removed = 0;
  for await (const page of directory.contents()) {
    for (const content of snapshot.unreferenced(page)) {
      await removeFile(directory.contentPath(content));
      removed++;
    }
  }
  return removed;
}

/** Where a snapshot is written. */
function snapshotIn(directory: BackupDirectory): string {
  return `${directory.temporary}/snapshot`;
}
