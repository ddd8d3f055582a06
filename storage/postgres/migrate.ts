import records from "./migrations/0001_records.sql" with { type: "text" };
import uploads from "./migrations/0002_uploads.sql" with { type: "text" };
import stores from "./migrations/0003_stores.sql" with { type: "text" };
import servers from "./migrations/0004_servers.sql" with { type: "text" };
import events from "./migrations/0005_events.sql" with { type: "text" };
import objects from "./migrations/0006_objects.sql" with { type: "text" };
import incarnation from "./migrations/0007_incarnation.sql" with { type: "text" };
import unnameableRecords from "./migrations/0008_unnameable_records.sql" with { type: "text" };
import scansOfUsers from "./migrations/0009_scans_of_users.sql" with { type: "text" };
import consoleSessions from "./migrations/0010_console_sessions.sql" with { type: "text" };
import endedCredentials from "./migrations/0011_ended_credentials.sql" with { type: "text" };
import joinedUploads from "./migrations/0012_joined_uploads.sql" with { type: "text" };
import unknownVerdict from "./migrations/0013_unknown_verdict.sql" with { type: "text" };
import agreements from "./migrations/0014_agreements.sql" with { type: "text" };
import repositoryVersions from "./migrations/0015_repository_versions.sql" with { type: "text" };
import plannedChanges from "./migrations/0016_planned_changes.sql" with { type: "text" };
import contentsAtCommit from "./migrations/0017_contents_at_commit.sql" with { type: "text" };
import largeChanges from "./migrations/0018_large_changes.sql" with { type: "text" };
import verdictDays from "./migrations/0019_verdict_days.sql" with { type: "text" };
import dav from "./migrations/0020_dav.sql" with { type: "text" };
import s3Objects from "./migrations/0021_s3_objects.sql" with { type: "text" };
import history from "./migrations/0022_history.sql" with { type: "text" };
import treeLog from "./migrations/0023_tree_log.sql" with { type: "text" };
import tags from "./migrations/0024_tags.sql" with { type: "text" };
import hubCommits from "./migrations/0025_hub_commits.sql" with { type: "text" };
import people from "./migrations/0026_people.sql" with { type: "text" };
import sessionsOfPersons from "./migrations/0027_sessions_of_persons.sql" with { type: "text" };
import passkeys from "./migrations/0028_passkeys.sql" with { type: "text" };
import boundCredentials from "./migrations/0029_bound_credentials.sql" with { type: "text" };
import deviceLogins from "./migrations/0030_device_logins.sql" with { type: "text" };
import accessKeys from "./migrations/0031_access_keys.sql" with { type: "text" };
import addedRecords from "./migrations/0032_added_records.sql" with { type: "text" };
import bytesOfRows from "./migrations/0033_bytes_of_rows.sql" with { type: "text" };
import mirror from "./migrations/0034_mirror.sql" with { type: "text" };
import results from "./migrations/0035_results.sql" with { type: "text" };
import facts from "./migrations/0036_facts.sql" with { type: "text" };
import s3Positions from "./migrations/0037_s3_positions.sql" with { type: "text" };
import search from "./migrations/0038_search.sql" with { type: "text" };
import historyNodes from "./migrations/0039_history_nodes.sql" with { type: "text" };
import historyStates from "./migrations/0040_history_states.sql" with { type: "text" };
import mirrorContents from "./migrations/0041_mirror_contents.sql" with { type: "text" };
import tensorLists from "./migrations/0042_tensor_lists.sql" with { type: "text" };
import triggersOfLargeChanges from "./migrations/0043_triggers_of_large_changes.sql" with {
  type: "text",
};
import s3Checksums from "./migrations/0044_s3_checksums.sql" with { type: "text" };
import knownRevisions from "./migrations/0045_known_revisions.sql" with { type: "text" };
import replacedBySame from "./migrations/0046_replaced_by_same.sql" with { type: "text" };
import searchTerms from "./migrations/0047_search_terms.sql" with { type: "text" };
import historyByWhatHeld from "./migrations/0048_history_by_what_held.sql" with { type: "text" };
import { LOCKS } from "./locks.ts";
import type { Session } from "./session.ts";

/** Migrations in order: the one at index i leads to schema version i + 1. Append only; never edit one. */
const MIGRATIONS: readonly string[] = [
  records,
  uploads,
  stores,
  servers,
  events,
  objects,
  incarnation,
  unnameableRecords,
  scansOfUsers,
  consoleSessions,
  endedCredentials,
  joinedUploads,
  unknownVerdict,
  agreements,
  repositoryVersions,
  plannedChanges,
  contentsAtCommit,
  largeChanges,
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
  historyStates,
  mirrorContents,
  tensorLists,
  triggersOfLargeChanges,
  s3Checksums,
  knownRevisions,
  replacedBySame,
  searchTerms,
  historyByWhatHeld,
];

/** The version of the schema that this program makes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The first supported version, as `server_version_num` has it. */
const MIN_SERVER_VERSION = 140000;

/**
 * Migrates the database to the current schema, in one transaction. If several servers start at once, one
 * of them does. The version of a database that was in use stays: servers of the former release go on, and start,
 * until {@link finishUpgrade}.
 * See docs/design/several_servers.md.
 *
 * @throws {Error} when the database is not supported, or has a newer schema than this program.
 */
export async function migrate(session: Session): Promise<void> {
  await refuseUnsupported(session);
  await refuseHidden(session);
  await session.begin();
  await session.run("SELECT pg_advisory_xact_lock(:lock::bigint)", { lock: LOCKS.migration });
  await session.script(
    `CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL);
     CREATE TABLE IF NOT EXISTS schema_steps (step integer PRIMARY KEY)`,
  );
  const { version, missing } = await readSchema(session);
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The database has schema version ${version}; this program supports up to ${SCHEMA_VERSION}`,
    );
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    const step = index + 1;
    if (!missing.has(step)) continue;
    await session.script(sql);
    if (version > 0) await session.run("INSERT INTO schema_steps VALUES (:step)", { step });
  }
  if (version === 0) {
    await session.run("INSERT INTO schema_version VALUES (:version)", { version: SCHEMA_VERSION });
  }
  await session.commit();
}

/** The version that all servers know, and the steps after it that have yet to be made. */
async function readSchema(
  session: Session,
): Promise<{ readonly version: number; readonly missing: ReadonlySet<number> }> {
  const [found, made] = await Promise.all([
    session.get("SELECT max(version) AS version FROM schema_version"),
    session.values("SELECT step FROM schema_steps"),
  ]);
  const version = Number(found?.version);
  const missing = new Set(MIGRATIONS.keys().map((index) => index + 1).filter((it) => it > version));
  for (const [step] of made) missing.delete(Number(step));
  return { version, missing };
}

/**
 * Ends an upgrade: from now on, no server of an earlier version starts.
 *
 * @returns whether there was anything to end.
 * @throws {Error} when such a server runs, or none of this version has started yet.
 */
export async function finishUpgrade(session: Session): Promise<boolean> {
  await session.begin();
  // No server starts meanwhile.
  await session.run("SELECT pg_advisory_xact_lock(:lock::bigint)", { lock: LOCKS.migration });
  const { version } = await readSchema(session);
  if (version < SCHEMA_VERSION) {
    await refuseFormer(session);
    await session.run("UPDATE schema_version SET version = :version", { version: SCHEMA_VERSION });
    await session.run("DELETE FROM schema_steps WHERE step <= :version", {
      version: SCHEMA_VERSION,
    });
  }
  await session.commit();
  return version < SCHEMA_VERSION;
}

async function refuseFormer(session: Session): Promise<void> {
  const row = await session.get(
    `SELECT count(*) AS count FROM servers
     WHERE expires_at > clock_timestamp() AND coalesce(schema_version, 0) < :version::integer`,
    { version: SCHEMA_VERSION },
  );
  const count = Number(row?.count);
  if (count === 0) return;
  throw new Error(
    `Servers of an earlier version run, or were killed less than half a minute ago: ${count}`,
  );
}

/**
 * Checks that the database has the current schema.
 *
 * @throws {Error} when it is not supported, or has another schema.
 */
export async function requireCurrent(session: Session): Promise<void> {
  await refuseUnsupported(session);
  const found = await session.get(
    `SELECT to_regclass('schema_version') IS NOT NULL AS schema,
       to_regclass('schema_steps') IS NOT NULL AS steps`,
  );
  if (found?.schema !== true) {
    throw new Error("The database of STRONGROOM_DATABASE_URL is empty: there is nothing to check");
  }
  const row = await session.get("SELECT version FROM schema_version");
  const { version, missing } = found.steps === true
    ? await readSchema(session)
    : { version: Number(row?.version), missing: undefined };
  if (version === SCHEMA_VERSION || version < SCHEMA_VERSION && missing?.size === 0) return;
  throw new Error(
    `The database has schema version ${version}; this program knows ${SCHEMA_VERSION}: ` +
      "use the version of the servers, or start a server of this one first",
  );
}

/**
 * Refuses to make tables beside those that a version before has made where the configuration of then had it:
 * the strongroom would be empty.
 */
async function refuseHidden(session: Session): Promise<void> {
  const row = await session.get(
    `SELECT min(nspname) AS name FROM pg_class JOIN pg_namespace AS place ON place.oid = relnamespace
     WHERE relname = 'storage_state' AND relkind = 'r'
       AND EXISTS (SELECT FROM pg_class WHERE relname = 'schema_version' AND relnamespace = place.oid)
       AND to_regclass('storage_state') IS NULL`,
  );
  if (typeof row?.name !== "string") return;
  const name = JSON.stringify(row.name);
  throw new Error(
    `The tables of the database are in the schema ${name}; strongroom uses public, or one with the ` +
      `name of its user: ALTER SCHEMA ${name} RENAME TO that name`,
  );
}

async function refuseUnsupported(session: Session): Promise<void> {
  const row = await session.get(
    `SELECT current_setting('server_version_num')::integer AS number,
       current_setting('server_version') AS version, current_setting('server_encoding') AS encoding`,
  );
  if (Number(row?.number) < MIN_SERVER_VERSION) {
    throw new Error(`The database server is PostgreSQL ${row?.version} (supported: 14 and later)`);
  }
  if (row?.encoding !== "UTF8") {
    throw new Error(`The encoding of the database is ${row?.encoding} (expected: UTF8)`);
  }
}
