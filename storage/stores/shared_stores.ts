import { randomBytes } from "node:crypto";
import { DirectoryBlobStore } from "../content/directory/directory_blob_store.ts";
import { blobDirectory, databasePath } from "../disk/data_directory.ts";
import { type DirectoryMark, readMark, writeMark } from "../disk/directory_mark.ts";
import { orMissing } from "../disk/files.ts";
import type { OpenedStores, OpeningParts } from "./opening.ts";
import { elsewhere, isDirectory, placeOf } from "./place_of_content.ts";
import type { ContentStore } from "../content/content_store.ts";
import { claimContentPlace, strongroomState } from "../postgres/content_place.ts";
import { noteRestore } from "../postgres/restored.ts";
import { PostgresResourceStore } from "../postgres/postgres_resource_store.ts";

/**
 * Opens a PostgreSQL database, and content in the data directory or in an object store. The database
 * remembers where its content is, and the directory whose records it belongs to.
 *
 * @throws {Error} when the database cannot be used, has its content elsewhere, or the directory is that of
 *   another strongroom.
 */
export async function openStores(dataDir: string, parts: OpeningParts): Promise<OpenedStores> {
  const { lock, options } = parts;
  const { database, content, resultsVersion, acceptUnfinished, acceptDamage = false, onFatal } =
    options;
  const { maxDirectRecords } = options;
  if (database === undefined) throw new TypeError("No database is named");
  await refuseEmbedded(dataDir);
  await using opened = new AsyncDisposableStack();
  const records = opened.use(
    await PostgresResourceStore.open(database, {
      // New for each start: what the server held before is given back.
      server: crypto.randomUUID(),
      temporaryDirectory: `${dataDir}/tmp`,
      resultsVersion,
      acceptUnfinished,
      ...(onFatal !== undefined && { onFatal }),
      ...(maxDirectRecords !== undefined && { maxDirectRecords }),
    }),
  );
  const { strongroomId, contentPlace, databaseId } = await strongroomState(records.database);
  const mark = await markOf(dataDir, strongroomId);
  const place = placeOf(content, mark);
  const isElsewhere = contentPlace !== undefined && contentPlace !== place;
  const isGone = acceptDamage && content === undefined && isDirectory(contentPlace);
  if (isElsewhere && !isGone) throw elsewhere(contentPlace, dataDir);
  if (content === undefined && contentPlace !== place) await refuseContent(dataDir);
  const blobs = opened.use(
    await openContent(dataDir, {
      ...{ records, isKnown: contentPlace === place, database: databaseId },
      ...parts,
    }),
  );
  await writeMark(dataDir, mark);
  const claimed = await claimContentPlace(records.database, place, contentPlace);
  if (claimed !== place) throw elsewhere(claimed, dataDir);
  await noteRestore(records.database);
  await records.takeLease({ directory: mark.directory });
  // What another place had is lost unless this one has it.
  if (isElsewhere) await lock.setSealed(false);
  opened.move();
  // The database knows all content without a record; but files are published before their records.
  const mayDisagree = isElsewhere || content === undefined && lock.afterCrash;
  return { records, blobs, mayDisagree };
}

async function openContent(
  dataDir: string,
  { records, isKnown, database, reserveBytes, options: { content } }: OpeningParts & {
    readonly records: PostgresResourceStore;
    /** Whether the database has its content there already. */
    readonly isKnown: boolean;
    readonly database: string;
  },
): Promise<ContentStore> {
  const { contents, objectTable: objects } = records;
  if (content === undefined) {
    return await DirectoryBlobStore.open(dataDir, { contents, reserveBytes });
  }
  const { S3BlobStore } = await import("../content/objects/s3_blob_store.ts");
  const mayWrite = () => records.isAlive;
  return await S3BlobStore.open(dataDir, {
    ...content,
    objects,
    isKnown,
    database,
    reserveBytes,
    mayWrite,
  });
}

/** The mark of a data directory, which may have yet to be written. */
async function markOf(dataDir: string, strongroom: string): Promise<DirectoryMark> {
  const mark = await readMark(dataDir);
  if (mark === undefined) return { strongroom, directory: randomBytes(16).toString("hex") };
  if (mark.strongroom === strongroom) return mark;
  throw new Error(
    `"${dataDir}" belongs to another database than STRONGROOM_DATABASE_URL: ` +
      "name that one, or another directory with STRONGROOM_DATA_DIR",
  );
}

async function refuseEmbedded(dataDir: string): Promise<void> {
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) return;
  throw new Error(
    `"${dataDir}" has its records in strongroom.db, not in STRONGROOM_DATABASE_URL: unset it, ` +
      "or name another directory with STRONGROOM_DATA_DIR",
  );
}

/** Refuses content that the database does not know: it would be removed as content without a record. */
async function refuseContent(dataDir: string): Promise<void> {
  const entries = await orMissing(Array.fromAsync(Deno.readDir(blobDirectory(dataDir)))) ?? [];
  if (entries.length === 0) return;
  throw new Error(
    `The blobs/ of "${dataDir}" holds content, but STRONGROOM_DATABASE_URL names a database that does not ` +
      "know it: name another directory with STRONGROOM_DATA_DIR, or the database of that content",
  );
}
