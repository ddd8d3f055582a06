import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import { RECORD_COLUMNS, scopeCondition } from "./lookup.ts";
import { byPath, indexed, isBelow, isParent, isPath, isTopLevel } from "./path_conditions.ts";
import type { SqlParameters } from "./session.ts";

/** A statement with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/** The records of a listing that come first, and all others. One after the other they are in order. */
export interface ListStatements {
  readonly head: Statement | undefined;
  readonly body: Statement;
}

/** Of several records at a path, the one that RS 1.4 prefers comes first. */
const PREFERENCE = "(records.user_id = :caller::bigint) DESC, records.updated_at DESC, records.id";

/**
 * The statements of a listing (RS 4.1, C 8).
 *
 * @param after The last record that a reader has seen, who goes on with another snapshot.
 */
export function listStatements(query: ListQuery, after?: ResourceRecord): ListStatements {
  const [directory] = query.directories;
  if (directory === undefined) return { head: undefined, body: rootStatement(query, after) };
  if (query.directories.length > 1) {
    return { head: undefined, body: severalStatement(query, after) };
  }
  const isDone = after?.path.startsWith(`${directory}/`);
  return {
    head: isDone ? undefined : headStatement(query, directory, after),
    body: isDone
      ? belowStatement(query, directory, after)
      : belowStatement(query, directory, undefined),
  };
}

/** RS 4.1.2 and 4.1.7: the records of the root. */
function rootStatement({ scope, recursive }: ListQuery, after?: ResourceRecord): Statement {
  const { condition, parameters } = scopeCondition(scope);
  const level = recursive ? "TRUE" : isTopLevel("records.parent");
  const later = after === undefined ? "TRUE" : `(records.updated_at < :updated::bigint
    OR records.updated_at = :updated::bigint
      AND (records.name, records.id) > (:name::text, :id::bigint))`;
  return {
    sql: `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND ${level} AND ${later}
      ORDER BY records.updated_at DESC, records.name, records.id`,
    parameters: {
      ...parameters,
      ...(after && { updated: after.updatedAt, name: after.name, id: after.id }),
    },
  };
}

/**
 * RS 4.1.3 and 4.1.6: the requested directory and those above it, whose paths come before all that is
 * below; recursively, the file at its path.
 */
function headStatement(
  { scope, recursive, chain }: ListQuery,
  directory: string,
  after?: ResourceRecord,
): Statement {
  const { condition, parameters } = scopeCondition(scope);
  const paths = [...new Set([...chain, directory])];
  const listed = `CASE WHEN records.is_dir THEN records.path = ANY (:chain::text[])
    ELSE ${recursive} AND records.path = :directory::text END`;
  return {
    sql: `SELECT DISTINCT ON (records.path) records.*
      FROM unnest(:paths::text[]) AS asked (path) CROSS JOIN LATERAL (
        SELECT ${RECORD_COLUMNS} FROM records
        WHERE ${condition} AND ${isPath("records.path", "asked.path")} AND ${listed} OFFSET 0
      ) AS records
      WHERE records.path > :after::text ORDER BY records.path, ${PREFERENCE}`,
    parameters: {
      ...parameters,
      paths,
      chain,
      directory,
      after: after?.path ?? "",
      caller: scope.userId,
    },
  };
}

/** RS 4.1.4: what is below the one requested directory. */
function belowStatement(
  { scope, recursive }: ListQuery,
  directory: string,
  after?: ResourceRecord,
): Statement {
  const { condition, parameters } = scopeCondition(scope);
  // Names within a directory are in the order of their paths, and an index has them.
  const order = recursive ? byPath("records.path") : "records.name";
  const below = recursive
    ? isBelow("records.path", ":directory::text")
    : isParent("records.parent", ":directory::text");
  const later = after === undefined
    ? "TRUE"
    : recursive
    ? `${indexed("records.path")} >= ${indexed(":after::text")} AND records.path > :after::text`
    : "records.name > :after::text";
  return {
    sql: scope.everyone
      ? `SELECT DISTINCT ON (${order}) ${RECORD_COLUMNS} FROM records
         WHERE ${condition} AND ${below} AND ${later} ORDER BY ${order}, ${PREFERENCE}`
      : `SELECT ${RECORD_COLUMNS} FROM records
         WHERE ${condition} AND ${below} AND ${later} ORDER BY ${order}`,
    parameters: {
      ...parameters,
      directory,
      ...(scope.everyone && { caller: scope.userId }),
      ...(after && { after: recursive ? after.path : after.name }),
    },
  };
}

/** RS 4.1.5: several directories, whose records may be the same. */
function severalStatement(query: ListQuery, after?: ResourceRecord): Statement {
  const { scope, recursive, directories, chain } = query;
  const { condition, parameters } = scopeCondition(scope);
  const ids = (list: string, which: string) =>
    `SELECT found.id FROM unnest(:${list}::text[]) AS asked (path) CROSS JOIN LATERAL (
       SELECT records.id FROM records WHERE ${condition} AND ${which} OFFSET 0
     ) AS found`;
  const parts = [
    ids("chain", `${isPath("records.path", "asked.path")} AND records.is_dir`),
    ...recursive
      ? [
        ids("directories", isBelow("records.path", "asked.path")),
        ids("directories", `${isPath("records.path", "asked.path")} AND NOT records.is_dir`),
      ]
      : [ids("directories", isParent("records.parent", "asked.path"))],
  ];
  return {
    sql: `SELECT DISTINCT ON (records.path) ${RECORD_COLUMNS}
      FROM (${parts.join(" UNION ")}) AS listed JOIN records ON records.id = listed.id
      WHERE records.path > :after::text ORDER BY records.path, ${PREFERENCE}`,
    parameters: {
      ...parameters,
      chain,
      directories,
      after: after?.path ?? "",
      caller: scope.userId,
    },
  };
}
