import type { DecidedUpload, UploadEffects } from "../../core/decided_upload.ts";
import type { MadeVersions } from "../../core/history_changes.ts";
import { nameOf } from "../../core/paths.ts";
import type { NewRecord, ResourceRecord } from "../../core/ports.ts";
import type { Connection } from "./connection.ts";
import { putContents } from "./contents.ts";
import { takenBy } from "../../core/usage.ts";
import { pathColumns } from "../tables/record_rows.ts";
import { replaceFiles } from "./replace_files.ts";
import { uploadedFacts } from "../tables/s3_facts.ts";
import { invalidateScans, STATEMENTS } from "./statements.ts";
import type { Transactions } from "./transactions.ts";
import type { TreeHistory } from "./tree_history.ts";
import { usageOf } from "./usage.ts";

/** Thrown to undo an upload whose decision does not apply any more. */
class Undecided extends Error {}

/** What a decided upload has made. */
export interface StoredUpload {
  /** The ids of the new records, in order. */
  readonly ids: readonly number[];
  readonly versions: MadeVersions;
}

/**
 * Carries out an upload in the current transaction. Returns undefined as `DecidedUploads.storeDecided` does.
 * See docs/design/uploads.md.
 */
export function storeDecided(
  { connection, transactions, history }: {
    readonly connection: Connection;
    readonly transactions: Transactions;
    readonly history: TreeHistory;
  },
  upload: DecidedUpload,
  now: number,
): StoredUpload | undefined {
  try {
    return transactions.attempt(() => store({ connection, history }, upload, now));
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

function store(
  { connection, history }: { readonly connection: Connection; readonly history: TreeHistory },
  upload: DecidedUpload,
  now: number,
): StoredUpload {
  const { userId, found, newRecords, newContents, contents, bounds, author } = upload;
  for (const record of found) if (!isUnchanged(connection, record)) throw new Undecided();
  const { inFiles, damaged } = putContents(connection, contents, now);
  // Files are compared by another thread, and damage is reported.
  if (inFiles.size > 0 || damaged.size > 0) throw new Undecided();
  invalidateScans(connection, [...newRecords, ...newContents]);
  const since = history.versionOf(userId);
  const ids = newRecords.map((record) => insertRecord(connection, record, since));
  if (ids.length > 0) history.added(userId, ids.length);
  if (newContents.length > 0) replaceFiles(connection, history, newContents);
  for (const row of uploadedFacts(upload)) connection.run(STATEMENTS.s3.keepFactsAt, row);
  if (author !== undefined) history.describe(userId, { author });
  if (bounds !== undefined) {
    const held = usageOf(connection, { userId, everyone: false });
    if (held.records > bounds.records || takenBy(held) > bounds.bytes) throw new Undecided();
  }
  return { ids, versions: history.made };
}

/** What an upload has done whose new records have got the ids. */
export function effectsOf(
  { found, newRecords, newContents }: DecidedUpload,
  ids: readonly number[],
): UploadEffects {
  const replaced = new Map(found.map((record) => [record.id, record]));
  return {
    added: newRecords.flatMap((record, index) => {
      const id = ids[index];
      return id === undefined ? [] : { id, name: nameOf(record.path), ...record };
    }),
    updated: newContents.flatMap((content) => {
      const record = replaced.get(content.id);
      return record === undefined ? [] : { ...record, ...content };
    }),
  };
}

/** Whether a record has the same path and content. */
function isUnchanged(
  connection: Connection,
  { id, userId, path, hash, updatedAt }: ResourceRecord,
): boolean {
  const row = connection.get(
    `SELECT 1 FROM records WHERE id = :id AND user_id = :userId AND path = :path AND hash = :hash
       AND updated_at = :updatedAt`,
    { id, userId, path, hash, updatedAt },
  );
  return row !== undefined;
}

/** @throws {Undecided} when there is a record at the path. */
function insertRecord(connection: Connection, record: NewRecord, since: number): number {
  const row = connection.get(
    `INSERT INTO records
       (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, since)
     VALUES (:userId, :path, :parent, :name, :hash, :size, :crc32, :isDir, :createdAt, :updatedAt,
       :since)
     ON CONFLICT DO NOTHING RETURNING id`,
    { ...record, ...pathColumns(record.path), isDir: Number(record.isDir), since },
  );
  if (row === undefined) throw new Undecided();
  return Number(row.id);
}
