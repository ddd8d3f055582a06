import { digestsBelow, PREFIXES } from "../content/paths.ts";
import { quarantinePaths } from "../content/directory/quarantine.ts";
import { Connection } from "../sqlite/connection.ts";
import { smallHashes } from "../sqlite/contents.ts";
import { generationOf } from "../sqlite/generation.ts";
import { dialectOf, hasTable } from "../sqlite/older_schema.ts";
import { upkeepStatements } from "../tables/upkeep_statements.ts";
import { toFile, toGap } from "../tables/upkeep_store.ts";
import { blobDirectory, databasePath } from "../disk/data_directory.ts";
import { orMissingSync } from "../disk/files.ts";

/** The most files that the message lists. */
const MAX_LISTED = 20;

/**
 * The error for a start with a database that is older than its lock: says what content would be lost.
 * Only reads. Blocks the thread.
 *
 * @param generation The generation in the lock.
 */
export function olderDatabase(dataDir: string, generation: number): Error {
  using connection = new Connection(databasePath(dataDir), { readOnly: true });
  const listed: string[] = [];
  let missing = 0;
  let returning = 0;
  let unreferenced = 0;
  for (const prefix of PREFIXES) {
    const inFiles = digestsBelow(blobDirectory(dataDir), prefix);
    const gap = gapOf(connection, prefix, [...inFiles, ...smallIn(connection, prefix)]);
    const held = new Set(gap.missing.filter((hash) => isInQuarantine(dataDir, hash)));
    const lost = gap.missing.filter((hash) => !held.has(hash));
    unreferenced += gap.unreferenced.length;
    returning += held.size;
    missing += lost.length;
    listed.push(...lost.slice(0, MAX_LISTED - listed.length));
  }
  return new Error([
    `The database of "${dataDir}" has lost changes: its generation is ` +
    `${
      generationOf(connection)
    }, but a server has recorded ${generation}. Either an older database ` +
    "was put in its place, or its log strongroom.db-wal was removed.",
    `Stored contents without a record: ${unreferenced}`,
    `Contents of records that are in quarantine/, and would be moved back: ${returning}`,
    `Contents of records that are missing: ${missing}`,
    ...filesOf(connection, listed),
    ...missing > listed.length ? [`  and ${missing - listed.length} more`] : [],
    "Put back the right database with its log, or restore a backup. To go on with this database, " +
    "start once with: strongroom serve --accept-damage",
    "Stored contents without a record are then kept in quarantine/ for 7 days.",
  ].join("\n"));
}

/** The hashes of small content in the database. A database of an earlier version has no such content. */
function smallIn(connection: Connection, prefix: string): string[] {
  return hasTable(connection, "contents") ? smallHashes(connection, prefix) : [];
}

function isInQuarantine(dataDir: string, hash: string): boolean {
  return quarantinePaths(dataDir, hash).some((path) =>
    orMissingSync(() => Deno.lstatSync(path)) !== undefined
  );
}

/** A database of an earlier version has no records yet if it is empty. */
function gapOf(connection: Connection, prefix: string, hashes: readonly string[]) {
  if (!hasTable(connection, "records")) return { missing: [], unreferenced: hashes };
  const { gap } = upkeepStatements(dialectOf(connection));
  return toGap(connection.all(gap, { prefix, hashes: JSON.stringify(hashes) }));
}

function filesOf(connection: Connection, hashes: readonly string[]): string[] {
  if (hashes.length === 0) return [];
  const { files } = upkeepStatements(dialectOf(connection));
  return connection.all(files, { hashes: JSON.stringify(hashes) }).map(toFile)
    .map(({ userId, path }) => `  user ${userId}: ${JSON.stringify(path)}`);
}
