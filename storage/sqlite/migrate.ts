import type { Connection } from "./connection.ts";
import records from "./migrations/0001_records.sql" with { type: "text" };
import pathColumns from "./migrations/0002_path_columns.sql" with { type: "text" };
import scans from "./migrations/0003_scans.sql" with { type: "text" };
import scanAttempts from "./migrations/0004_scan_attempts.sql" with { type: "text" };
import reportChunks from "./migrations/0005_report_chunks.sql" with { type: "text" };
import storageState from "./migrations/0006_storage_state.sql" with { type: "text" };
import strongroomId from "./migrations/0007_strongroom_id.sql" with { type: "text" };
import contents from "./migrations/0008_contents.sql" with { type: "text" };
import largeChanges from "./migrations/0009_large_changes.sql" with { type: "text" };
import usage from "./migrations/0010_usage.sql" with { type: "text" };
import credentials from "./migrations/0011_credentials.sql" with { type: "text" };
import missingSha256 from "./migrations/0012_missing_sha256.sql" with { type: "text" };
import verdicts from "./migrations/0013_verdicts.sql" with { type: "text" };
import scanPaths from "./migrations/0014_scan_paths.sql" with { type: "text" };
import sharedTrees from "./migrations/0015_shared_trees.sql" with { type: "text" };
import contentTotals from "./migrations/0016_content_totals.sql" with { type: "text" };
import links from "./migrations/0017_links.sql" with { type: "text" };
import uploads from "./migrations/0018_uploads.sql" with { type: "text" };
import lfsObjects from "./migrations/0019_lfs_objects.sql" with { type: "text" };
import derivedCredentials from "./migrations/0020_derived_credentials.sql" with { type: "text" };
import objects from "./migrations/0021_objects.sql" with { type: "text" };
import uploadParts from "./migrations/0022_upload_parts.sql" with { type: "text" };
import unnameableRecords from "./migrations/0023_unnameable_records.sql" with { type: "text" };
import scansOfUsers from "./migrations/0024_scans_of_users.sql" with { type: "text" };
import consoleSessions from "./migrations/0025_console_sessions.sql" with { type: "text" };
import endedCredentials from "./migrations/0026_ended_credentials.sql" with { type: "text" };
import joinedUploads from "./migrations/0027_joined_uploads.sql" with { type: "text" };
import unknownVerdict from "./migrations/0028_unknown_verdict.sql" with { type: "text" };
import verdictDays from "./migrations/0029_verdict_days.sql" with { type: "text" };
import dav from "./migrations/0030_dav.sql" with { type: "text" };
import s3Objects from "./migrations/0031_s3_objects.sql" with { type: "text" };
import history from "./migrations/0032_history.sql" with { type: "text" };
import treeLog from "./migrations/0033_tree_log.sql" with { type: "text" };
import tags from "./migrations/0034_tags.sql" with { type: "text" };
import hubCommits from "./migrations/0035_hub_commits.sql" with { type: "text" };
import people from "./migrations/0036_people.sql" with { type: "text" };
import sessionsOfPersons from "./migrations/0037_sessions_of_persons.sql" with { type: "text" };
import passkeys from "./migrations/0038_passkeys.sql" with { type: "text" };
import boundCredentials from "./migrations/0039_bound_credentials.sql" with { type: "text" };
import deviceLogins from "./migrations/0040_device_logins.sql" with { type: "text" };
import accessKeys from "./migrations/0041_access_keys.sql" with { type: "text" };
import addedRecords from "./migrations/0042_added_records.sql" with { type: "text" };
import bytesOfRows from "./migrations/0043_bytes_of_rows.sql" with { type: "text" };
import mirror from "./migrations/0044_mirror.sql" with { type: "text" };
import results from "./migrations/0045_results.sql" with { type: "text" };
import facts from "./migrations/0046_facts.sql" with { type: "text" };
import s3Positions from "./migrations/0047_s3_positions.sql" with { type: "text" };
import search from "./migrations/0048_search.sql" with { type: "text" };
import historyNodes from "./migrations/0049_history_nodes.sql" with { type: "text" };
import mirrorContents from "./migrations/0050_mirror_contents.sql" with { type: "text" };
import tensorLists from "./migrations/0051_tensor_lists.sql" with { type: "text" };
import s3Checksums from "./migrations/0052_s3_checksums.sql" with { type: "text" };
import searchAdded from "./migrations/0053_search_added.sql" with { type: "text" };
import newSchema from "./schema_0046.sql" with { type: "text" };

/** Migrations in order: the one at index i leads to schema version i + 1. Append only; never edit one. */
const MIGRATIONS: readonly string[] = [
  records,
  pathColumns,
  scans,
  scanAttempts,
  reportChunks,
  storageState,
  strongroomId,
  contents,
  largeChanges,
  usage,
  credentials,
  missingSha256,
  verdicts,
  scanPaths,
  sharedTrees,
  contentTotals,
  links,
  uploads,
  lfsObjects,
  derivedCredentials,
  objects,
  uploadParts,
  unnameableRecords,
  scansOfUsers,
  consoleSessions,
  endedCredentials,
  joinedUploads,
  unknownVerdict,
  verdictDays,
  dav,
  s3Objects,
  history,
  treeLog,
  tags,
  hubCommits,
  people,
  sessionsOfPersons,
  passkeys,
  boundCredentials,
  deviceLogins,
  accessKeys,
  addedRecords,
  bytesOfRows,
  mirror,
  results,
  facts,
  s3Positions,
  search,
  historyNodes,
  mirrorContents,
  tensorLists,
  s3Checksums,
  searchAdded,
];

/** The version to which `schema_0046.sql` leads at once. */
const NEW_VERSION = 46;

/** The first version of the schema whose register has all tables and columns that the command line writes. */
export const REGISTER_VERSION = MIGRATIONS.indexOf(accessKeys) + 1;

/**
 * Migrates the database to the current schema in one transaction, so that a crash leaves one schema or the
 * other. Returns the version that it had before, 0 for a new database.
 *
 * @throws {Error} when the database has a newer schema than this program.
 */
export function migrate(connection: Connection): number {
  const version = schemaVersion(connection);
  const due = version > 0
    ? MIGRATIONS.slice(version)
    : [newSchema, ...MIGRATIONS.slice(NEW_VERSION)];
  if (due.length === 0) return version;
  try {
    connection.script(
      `BEGIN IMMEDIATE; ${due.join(";\n")}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT;`,
    );
  } catch (error) {
    if (connection.inTransaction) connection.script("ROLLBACK");
    throw error;
  }
  return version;
}

/**
 * The version of the schema; 0 for a new database.
 *
 * @throws {Error} when it is newer than this program.
 */
export function schemaVersion(connection: Connection): number {
  const version = Number(connection.get("PRAGMA user_version")?.user_version);
  if (version <= MIGRATIONS.length) return version;
  throw new Error(
    `The database has schema version ${version}; this program supports up to ${MIGRATIONS.length}`,
  );
}
