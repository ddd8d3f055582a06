import type { LocatedRecord, ResourceRecord, Scope } from "../../core/ports.ts";
import { LOCATED, locatedOf } from "../tables/located_rows.ts";
import { preferred, recordOf } from "../tables/record_rows.ts";
import { isPath } from "./path_conditions.ts";
import type { Session, SqlParameters } from "./session.ts";

/** The columns that `recordOf` reads. */
export const RECORD_COLUMNS = `records.id, records.user_id, records.path, records.name,
  coalesce(records.hash, '') AS hash, records.size, records.crc32,
  records.is_dir::integer AS is_dir, records.created_at, records.updated_at`;

/** What reads: a transaction, or any connection. */
export type Source = Pick<Session, "all" | "get" | "values">;

/** A condition that selects the records within a scope, and its parameters. */
export function scopeCondition(
  scope: Scope,
): { readonly condition: string; readonly parameters: SqlParameters } {
  return scope.everyone
    ? { condition: "TRUE", parameters: {} }
    : { condition: "records.user_id = :user::bigint", parameters: { user: scope.userId } };
}

/** The preferred record within the scope for each path that has one (RS 1.4). */
export async function findByPath(
  source: Source,
  scope: Scope,
  paths: readonly string[],
): Promise<Map<string, ResourceRecord>> {
  const found = new Map<string, ResourceRecord>();
  if (paths.length === 0) return found;
  const { condition, parameters } = scopeCondition(scope);
  // OFFSET keeps the engine from reading all records, as it would if it expected many paths.
  const rows = await source.values(
    `SELECT found.* FROM unnest(:paths::text[]) AS asked (path) CROSS JOIN LATERAL (
       SELECT ${RECORD_COLUMNS} FROM records
       WHERE ${condition} AND ${isPath("records.path", "asked.path")} OFFSET 0
     ) AS found`,
    { ...parameters, paths },
  );
  for (const record of rows.map(recordOf)) {
    const other = found.get(record.path);
    found.set(record.path, other ? preferred(other, record, scope.userId) : record);
  }
  return found;
}

/** The record within the scope for each id that has one. */
export async function findById(
  source: Source,
  scope: Scope,
  ids: readonly number[],
): Promise<Map<number, ResourceRecord>> {
  // No record has another id, and the engine would refuse some of them.
  const possible = ids.filter(Number.isSafeInteger);
  if (possible.length === 0) return new Map();
  const { condition, parameters } = scopeCondition(scope);
  const rows = await source.values(
    `SELECT ${RECORD_COLUMNS} FROM records
     WHERE ${condition} AND id = ANY (:ids::bigint[]) ORDER BY array_position(:ids::bigint[], id)`,
    { ...parameters, ids: possible },
  );
  return new Map(rows.map(recordOf).map((record) => [record.id, record]));
}

/** {@link LocatedLookup.findLocated} */
export async function findLocated(source: Source, scope: Scope, path: string) {
  const { condition, parameters } = scopeCondition(scope);
  const rows = await source.values(
    `SELECT found.*, ${LOCATED.columns} FROM (
       SELECT ${RECORD_COLUMNS} FROM records
       WHERE ${condition} AND ${isPath("records.path", ":path::text")} OFFSET 0
     ) AS found ${LOCATED.tables("found")}`,
    { ...parameters, path },
  );
  return rows.map(locatedOf).reduce<LocatedRecord | undefined>(
    (best, next) =>
      best !== undefined && preferred(best.record, next.record, scope.userId) === best.record
        ? best
        : next,
    undefined,
  );
}
