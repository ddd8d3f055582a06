import type { Scope, Usage } from "../../core/ports.ts";
import type { Database } from "./database.ts";
import { scopeCondition, type Source } from "./lookup.ts";

/** What the trees within the scope hold. */
export async function usageOf(source: Source, scope: Scope): Promise<Usage> {
  const inScope = scope.everyone ? "TRUE" : "user_id = :user::bigint";
  const row = await source.get(
    `SELECT coalesce(sum(records), 0) AS records, coalesce(sum(files), 0) AS files,
       coalesce(sum(bytes), 0) AS bytes, (SELECT coalesce(sum(size), 0) FROM uploads
         WHERE completed_at IS NULL AND ${inScope})
       + (SELECT coalesce(sum(size), 0) FROM lfs_objects WHERE ${inScope}) AS uploading,
       (SELECT coalesce(sum(history_bytes), 0) FROM tree_versions WHERE ${inScope}) AS history_bytes
     FROM usage WHERE ${inScope}`,
    scopeCondition(scope).parameters,
  );
  return {
    records: Number(row?.records),
    files: Number(row?.files),
    bytes: Number(row?.bytes),
    uploading: Number(row?.uploading),
    historyBytes: Number(row?.history_bytes),
  };
}

/** {@link ResourceStore.storedBytes} */
export async function storedBytes(
  database: Database,
  scope: Scope,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted();
  const { condition, parameters } = scopeCondition(scope);
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
      const row = await session.get(
        `SELECT coalesce(sum(size), 0) AS bytes FROM (
           SELECT hash, max(size) AS size FROM records
           WHERE ${condition} AND hash IS NOT NULL GROUP BY hash
         ) AS content`,
        parameters,
      );
      signal.throwIfAborted();
      return Number(row?.bytes);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      await stopped?.catch(() => {});
    }
  });
}
