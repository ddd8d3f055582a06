import { BlobInventory } from "../../content/directory/blob_inventory.ts";
import { SqliteRecordAudit } from "../../sqlite/record_audit.ts";
import { leaveReadable } from "../../sqlite/shared_memory.ts";
import { databasePath, refuseUnfinished } from "../../disk/data_directory.ts";
import { readMark } from "../../disk/directory_mark.ts";
import { orMissing } from "../../disk/files.ts";
import { DirectoryLock, type LockState, lockState } from "../../disk/lock.ts";
import { DirectoryRepairs, ObjectRepairs } from "./content_repairs.ts";
import type { Findings } from "./findings.ts";
import { ObjectContents } from "./object_contents.ts";
import { DirectoryContents } from "./stored_contents.ts";
import { pendingAfter, type Subject, type SubjectOptions } from "./subject.ts";

/**
 * Opens the SQLite file of a data directory, and its content.
 *
 * @throws {Error} when the database is missing or cannot be opened, or a server uses a directory that is
 *   to be repaired.
 */
export async function openSubject(dataDir: string, options: SubjectOptions): Promise<Subject> {
  await refuseUnfinished(dataDir);
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) {
    throw new Error(
      await readMark(dataDir) === undefined
        ? `"${dataDir}" holds no strongroom.db: there is nothing to check`
        : `The records of "${dataDir}" are in a PostgreSQL database: set STRONGROOM_DATABASE_URL`,
    );
  }
  using opened = new DisposableStack();
  const lock = options.repair ? opened.use(await DirectoryLock.acquire(dataDir)) : undefined;
  // If this is killed, a start compares everything.
  if (lock !== undefined) {
    await lock.setSealed(false);
    opened.defer(() => leaveReadable(databasePath(dataDir)));
  }
  const state = lock === undefined ? await lockState(dataDir) : lockedState(lock);
  const subject = await openWith(dataDir, { ...options, state, opened });
  const held = opened.move();
  return {
    ...subject,
    async isServed() {
      return lock === undefined && (await lockState(dataDir)).served;
    },
    async finish() {
      // After a crash, the next start recovers nevertheless.
      if (lock?.afterCrash === false) await lock.markCleanStop();
    },
    [Symbol.asyncDispose]() {
      held.dispose();
      return Promise.resolve();
    },
  };
}

function lockedState({ afterCrash, generation }: DirectoryLock): LockState {
  return { served: false, afterCrash, sealed: false, generation };
}

async function openWith(
  dataDir: string,
  { state, opened, repair, content, findings }: SubjectOptions & {
    readonly state: LockState;
    readonly opened: DisposableStack;
  },
): Promise<Pick<Subject, "audit" | "stored" | "objects" | "repairs" | "pending">> {
  const older = isOlder(dataDir, state.generation, findings);
  // What seems to be wrong may be right with the database that belongs here.
  const mayRepair = repair && !older;
  const audit = opened.use(new SqliteRecordAudit(databasePath(dataDir), { repair: mayRepair }));
  const pending = pendingAfter(state);
  if (content === undefined) {
    if (audit.hasObjects) {
      throw new Error(
        `The content of "${dataDir}" is in an object store: set STRONGROOM_CONTENT_URL`,
      );
    }
    const stored = new DirectoryContents(opened.use(new BlobInventory(dataDir)), audit.small);
    const repairs = mayRepair ? new DirectoryRepairs(dataDir, stored, true) : undefined;
    return { audit, stored, repairs, pending, objects: undefined };
  }
  const { openObjects } = await import("./open_objects.ts");
  const objects = await openObjects(content, audit);
  const stored = new ObjectContents(objects.objects, objects.bucket);
  const repairs = mayRepair ? new ObjectRepairs(audit, objects.objects, stored) : undefined;
  return { audit, stored, repairs, pending, objects };
}

/** Reads on a connection of its own: the database that belongs here may need its log unchanged. */
function isOlder(dataDir: string, generation: number, findings: Findings): boolean {
  using audit = new SqliteRecordAudit(databasePath(dataDir), { repair: false });
  const found = audit.generation;
  if (found >= generation) return false;
  const message =
    `The database has lost changes: its generation is ${found}, but a server has recorded ` +
    `${generation}. Put back the right one with its log strongroom.db-wal before any repair`;
  findings.add({ kind: "generation", message });
  return true;
}
