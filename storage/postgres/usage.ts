import { HISTORY_ROW_BYTES } from "../../core/history.ts";
import type { Scope } from "../../core/ports.ts";
import type { Usage } from "../../core/usage.ts";
import type { ShareQuery, Shares } from "../../core/shares.ts";
import { countedFor, LARGEST, summedUp, toShares } from "../tables/shares.ts";
import type { Database } from "./database.ts";
import { POSTGRES } from "./dialect.ts";
import { scopeCondition, type Source } from "./lookup.ts";

/** What the trees within the scope hold. */
export async function usageOf(source: Source, scope: Scope): Promise<Usage> {
  const inScope = scope.everyone ? "TRUE" : "user_id = :user::bigint";
  const row = await source.get(
    `SELECT coalesce(sum(records), 0) AS records, coalesce(sum(files), 0) AS files,
       coalesce(sum(bytes), 0) AS bytes, (SELECT coalesce(sum(size), 0) FROM uploads
         WHERE completed_at IS NULL AND ${inScope})
       + (SELECT coalesce(sum(size), 0) FROM lfs_objects WHERE ${inScope}) AS uploading,
       (SELECT coalesce(sum(history_bytes), 0) FROM tree_versions WHERE ${inScope}) AS history_bytes,
       (SELECT coalesce(sum(bytes + ${HISTORY_ROW_BYTES} * records), 0)
         FROM tags WHERE ${inScope}) AS tagged_bytes
     FROM usage WHERE ${inScope}`,
    scopeCondition(scope).parameters,
  );
  return {
    records: Number(row?.records),
    files: Number(row?.files),
    bytes: Number(row?.bytes),
    uploading: Number(row?.uploading),
    historyBytes: Number(row?.history_bytes),
    taggedBytes: Number(row?.tagged_bytes),
  };
}

/** {@link RecordShares.shares} */
export async function readShares(
  database: Database,
  query: ShareQuery,
  signal: AbortSignal,
): Promise<Shares> {
  signal.throwIfAborted();
  const { table, first, isAfter, condition, parameters, columns, together } = countedFor(
    query,
    POSTGRES,
  );
  const rows = `(SELECT ${columns} FROM ${table} WHERE ${isAfter} AND ${condition})`;
  return await database.use("long", async (session) => {
    const pid = Number((await session.get("SELECT pg_backend_pid() AS pid"))?.pid);
    let stopped: Promise<unknown> | undefined;
    const stop = () => {
      stopped = database.get("SELECT pg_cancel_backend(:pid::integer)", { pid });
      // Then the statement goes on, and its result is dropped.
      stopped.catch(() => {});
    };
    signal.addEventListener("abort", stop);
    try {
      const found = await session.all(
        `WITH counted AS (${summedUp(rows, together)}) ${LARGEST}`,
        { ...parameters, after: first, limit: query.limit },
      );
      signal.throwIfAborted();
      return toShares(found);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      await stopped?.catch(() => {});
    }
  });
}
