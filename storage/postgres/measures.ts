import type { DatabaseMeasures } from "../tables/record_store.ts";
import type { Database } from "./database.ts";

/** Rows of `content_changes` that a measurement may add up. */
const MAX_CHANGES = 100;
/** How many of them are summed up at once, at most. */
const MAX_SUMMED = 10_000;

/**
 * Measures in a moment, however much the database holds.
 *
 * @param commits Without those by which servers share scans and events: they write for no request.
 */
export async function measureDatabase(
  database: Database,
  commits: number,
): Promise<DatabaseMeasures> {
  const rows = await database.values(
    `SELECT is_small, sum(contents), sum(bytes) FROM content_changes GROUP BY is_small`,
  );
  const amountOf = (isSmall: boolean) => {
    const [, count, bytes] = rows.find(([it]) => it === isSmall) ?? [];
    return { count: Number(count ?? 0), bytes: Number(bytes ?? 0) };
  };
  const size = await database.get("SELECT pg_database_size(current_database()) AS bytes");
  return {
    contents: { files: amountOf(false), database: amountOf(true) },
    commits,
    works: commits,
    databaseBytes: Number(size?.bytes),
    logBytes: undefined,
  };
}

/**
 * Sums up the rows that changes of contents have added, whenever this server has written something since. What
 * other servers have written, they sum up.
 */
export function tidying(database: Database, written: () => number): () => Promise<void> {
  let summed = 0;
  return async () => {
    const now = written();
    if (now === summed) return;
    await sumContentChanges(database);
    summed = now;
  };
}

/** Sums up rows if there are many. Several servers may do so at once. */
async function sumContentChanges(database: Database): Promise<void> {
  await database.use("writes", (session) =>
    session.run(
      `WITH summed AS (
         DELETE FROM content_changes WHERE ctid = ANY (ARRAY (
           SELECT ctid FROM content_changes LIMIT ${MAX_SUMMED} FOR UPDATE SKIP LOCKED
         )) AND (SELECT count(*) FROM (SELECT FROM content_changes LIMIT ${MAX_CHANGES + 1}) AS it)
           > ${MAX_CHANGES}
         RETURNING is_small, contents, bytes
       ) INSERT INTO content_changes
       SELECT is_small, sum(contents), sum(bytes) FROM summed GROUP BY is_small`,
    ));
}
