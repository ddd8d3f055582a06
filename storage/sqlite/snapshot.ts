import { backup, DatabaseSync } from "node:sqlite";
import { ChangeJournal } from "./change_journal.ts";
import { isUnreferenced } from "../tables/references.ts";
import { Connection } from "./connection.ts";
import { dialectOf, hasTable } from "./older_schema.ts";

/** How long to wait for the lock of a server that is starting or stopping. */
const BUSY_TIMEOUT_MS = 10_000;

/** The files and bytes of contents. */
export interface ContentTotals {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Copies a database that others may write to meanwhile. The copy is the state of one moment, in one
 * file. Blocks the thread.
 *
 * @param target A file that does not exist.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  // SQLite would let others read a file that it creates.
  await Deno.writeFile(target, new Uint8Array(), { createNew: true, mode: 0o600 });
  using database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  // In one step, which reads a single transaction and does not hinder the writer.
  await backup(database, target, { rate: -1 });
  using copy = new Connection(target, { readOnly: false });
  // A large change may be going on, and content of the former state is still there.
  new ChangeJournal(copy).recover();
  // The copy of a database with a log would expect a log of its own.
  copy.script("PRAGMA journal_mode = DELETE");
  // Their parts are not part of a backup.
  if (hasTable(copy, "uploads")) copy.run("DELETE FROM uploads WHERE completed_at IS NULL");
  if (hasTable(copy, "s3_uploads")) copy.script("DELETE FROM s3_parts; DELETE FROM s3_uploads");
  if (hasTable(copy, "lfs_objects")) {
    copy.run("DELETE FROM lfs_objects");
    // Nothing of the key stays in the file: who reads a backup must not be able to sign addresses.
    copy.script("PRAGMA secure_delete = FAST; UPDATE storage_state SET hub_key = NULL");
  }
  // One that has ended since must not be open again in what is restored.
  if (hasTable(copy, "console_sessions")) copy.run("DELETE FROM console_sessions");
  for (const table of ["invitations", "device_logins"]) {
    if (hasTable(copy, table)) copy.run(`DELETE FROM ${table}`);
  }
  // A client that holds one would not know of what is restored.
  if (hasTable(copy, "locks")) copy.run("DELETE FROM locks");
  // A server removes content after the commit that deleted its last record.
  if (hasTable(copy, "contents")) {
    copy.run(`DELETE FROM contents WHERE ${isUnreferenced(dialectOf(copy), "contents.hash")}`);
  }
}
