import type { DatabaseAddress } from "../../../schemas/database_url.ts";
import { BlobInventory } from "../../content/directory/blob_inventory.ts";
import { refuseUnfinished } from "../../disk/data_directory.ts";
import { readMark } from "../../disk/directory_mark.ts";
import { DirectoryLock, isServed, lockState } from "../../disk/lock.ts";
import { elsewhere, placeOf } from "../../stores/place_of_content.ts";
import { type StrongroomState, strongroomState } from "../../postgres/content_place.ts";
import { Database } from "../../postgres/database.ts";
import { PostgresRecordAudit } from "../../postgres/record_audit.ts";
import { holdServers, liveServers, requireNoServer } from "../../postgres/servers.ts";
import { PostgresSmallContents } from "../../postgres/small_content_audit.ts";
import { DirectoryRepairs, ObjectRepairs } from "./content_repairs.ts";
import { ObjectContents } from "./object_contents.ts";
import { DirectoryContents } from "./stored_contents.ts";
import { pendingAfter, type Subject, type SubjectOptions } from "./subject.ts";

/** Work on several contents at once takes a connection each, for a moment. */
const MAX_CONNECTIONS = 12;

/**
 * Opens a PostgreSQL database, and its content in a data directory or in an object store.
 *
 * @throws {Error} when it cannot be used, its content is elsewhere, or servers use a strongroom that is to be
 *   repaired.
 */
export async function openSubject(
  dataDir: string,
  address: DatabaseAddress,
  options: SubjectOptions,
): Promise<Subject> {
  const { repair, content } = options;
  await using opened = new AsyncDisposableStack();
  const database = opened.use(
    await Database.open(address, {
      connections: MAX_CONNECTIONS,
      keepsSchema: true,
      readOnly: !repair,
    }),
  );
  if (repair) {
    opened.use(await holdServers(database));
    await requireNoServer(database, address.database);
  }
  const subject = content === undefined
    ? await openDirectory(dataDir, { database, opened, options })
    : await openObjectStore(dataDir, { database, opened, options });
  const held = opened.move();
  return {
    ...subject,
    async isServed() {
      if (repair) return false;
      return await liveServers(database) > 0 || content === undefined && await isServed(dataDir);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

interface Parts {
  readonly database: Database;
  readonly opened: AsyncDisposableStack;
  readonly options: SubjectOptions;
}

type OpenedSubject = Omit<Subject, "isServed" | typeof Symbol.asyncDispose>;

async function openDirectory(
  dataDir: string,
  { database, opened, options: { repair } }: Parts,
): Promise<OpenedSubject> {
  await refuseUnfinished(dataDir);
  await requirePlace(dataDir, database, undefined);
  const lock = repair ? opened.use(await DirectoryLock.acquire(dataDir)) : undefined;
  // If this is killed, a start compares everything.
  await lock?.setSealed(false);
  const pending = pendingAfter(lock ?? await lockState(dataDir));
  const small = new PostgresSmallContents(database);
  const stored = new DirectoryContents(opened.use(new BlobInventory(dataDir)), small);
  return {
    audit: new PostgresRecordAudit(database),
    stored,
    objects: undefined,
    repairs: repair ? new DirectoryRepairs(dataDir, stored, false) : undefined,
    pending,
    async finish() {
      if (lock?.afterCrash === false) await lock.markCleanStop();
    },
  };
}

async function openObjectStore(
  dataDir: string,
  { database, options: { repair, content } }: Parts,
): Promise<OpenedSubject> {
  if (content === undefined) {
    throw new TypeError("The content store of this database is not configured");
  }
  const { databaseId } = await requirePlace(dataDir, database, content);
  const audit = new PostgresRecordAudit(database);
  const { openObjects } = await import("./open_objects.ts");
  const objects = await openObjects(content, audit, repair ? databaseId : undefined);
  const stored = new ObjectContents(objects.objects, objects.bucket);
  return {
    audit,
    stored,
    objects,
    repairs: repair ? new ObjectRepairs(audit, objects.objects, stored) : undefined,
    // What a server leaves is known to the database.
    pending: "none",
    finish: () => Promise.resolve(),
  };
}

/** @throws {Error} when the content of the database is not where the settings say. */
async function requirePlace(
  dataDir: string,
  database: Database,
  content: SubjectOptions["content"],
): Promise<StrongroomState> {
  const state = await strongroomState(database);
  const { strongroomId, contentPlace } = state;
  if (contentPlace === undefined) {
    throw new Error("No server has used the database yet: there is nothing to check");
  }
  const mark = content === undefined
    ? await readMark(dataDir)
    : { strongroom: strongroomId, directory: "" };
  const isOwn = mark?.strongroom === strongroomId && placeOf(content, mark) === contentPlace;
  if (!isOwn) throw elsewhere(contentPlace, dataDir);
  return state;
}
