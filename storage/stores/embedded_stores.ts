import { DirectoryBlobStore } from "../content/directory/directory_blob_store.ts";
import { OLDER_DATABASE } from "../sqlite/generation.ts";
import { SqliteResourceStore } from "../sqlite/sqlite_resource_store.ts";
import { databasePath } from "../disk/data_directory.ts";
import { readMark } from "../disk/directory_mark.ts";
import { syncDirectory } from "../disk/files.ts";
import { olderDatabase } from "./older_database.ts";
import type { ContentStore } from "../content/content_store.ts";
import type { OpenedStores, OpeningParts } from "./opening.ts";

/**
 * Opens the SQLite file of a data directory, and its content.
 *
 * @throws {Error} when the database is damaged, missing, or older than the lock.
 */
export async function openStores(dataDir: string, parts: OpeningParts): Promise<OpenedStores> {
  const { lock } = parts;
  // Opening an object store commits, which records another one.
  const { generation } = lock;
  if (await readMark(dataDir) !== undefined) {
    throw new Error(
      `The records of "${dataDir}" are in a PostgreSQL database: set STRONGROOM_DATABASE_URL`,
    );
  }
  await using opened = new AsyncDisposableStack();
  const records = opened.use(await openRecords(dataDir, parts));
  const blobs = opened.use(await openContent(dataDir, records, parts));
  const { before } = records;
  if (before.generation !== generation) await lock.setSealed(false);
  // In a copy of a directory, and with another database than the one that the last server left, too.
  const mayDisagree = lock.afterCrash || before.generation !== generation;
  // Comparing everything removes content without a record, so all records must be readable.
  await records.check({ whole: !lock.sealed });
  if (mayDisagree) await records.restartLog();
  if (before.isNew && await hasContent(blobs)) {
    throw new Error(
      `The database of "${dataDir}" is missing or empty, but its blobs/ holds content: ` +
        "restore strongroom.db, or move blobs/ away to start empty",
    );
  }
  await syncDirectory(dataDir);
  if (before.generation < generation) await records.raiseGeneration(generation);
  opened.move();
  return { records, blobs, mayDisagree };
}

async function openRecords(
  dataDir: string,
  { lock, reserveBytes, options }: OpeningParts,
): Promise<SqliteResourceStore> {
  const { acceptDamage = false, resultsVersion, onFatal, maxDirectRecords } = options;
  try {
    return await SqliteResourceStore.open(databasePath(dataDir), {
      reserveBytes,
      temporaryDirectory: `${dataDir}/tmp`,
      resultsVersion,
      minGeneration: acceptDamage ? 0 : lock.generation,
      onGeneration: (generation) => lock.recordGeneration(generation),
      ...(onFatal !== undefined && { onFatal }),
      ...(maxDirectRecords !== undefined && { maxDirectRecords }),
    });
  } catch (error) {
    const isOlder = error instanceof Error && "code" in error && error.code === OLDER_DATABASE;
    throw isOlder ? olderDatabase(dataDir, lock.generation) : error;
  }
}

/** Loads nothing for object stores unless there is one. */
async function openContent(
  dataDir: string,
  { contents, objectTable: objects }: SqliteResourceStore,
  { reserveBytes, options: { content } }: OpeningParts,
): Promise<ContentStore> {
  if (content === undefined) {
    if (await objects.hasObjects()) {
      throw new Error(
        `The content of "${dataDir}" is in an object store: set STRONGROOM_CONTENT_URL`,
      );
    }
    return await DirectoryBlobStore.open(dataDir, { contents, reserveBytes });
  }
  const { S3BlobStore } = await import("../content/objects/s3_blob_store.ts");
  return await S3BlobStore.open(dataDir, { ...content, objects, reserveBytes });
}

/** Whether there is content of which a new database knows nothing. */
async function hasContent(blobs: ContentStore): Promise<boolean> {
  // Every first start does this: asking threads for each prefix would take most of its time.
  if (blobs instanceof DirectoryBlobStore) return blobs.hasFiles();
  for await (const { hashes } of blobs.hashes()) if (hashes.length > 0) return true;
  return false;
}
