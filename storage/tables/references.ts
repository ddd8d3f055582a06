import type { Dialect } from "./dialect.ts";

type Tables = Pick<Dialect, "recordTables"> & Partial<Pick<Dialect, "indexesFresh">>;

/** Files of history that are not in order yet. */
const FRESH_FILES = "fresh_files";
/** The files that only history has. */
export const KEPT_TABLES: readonly string[] = ["kept_files", FRESH_FILES];

/** The tables with files that both engines have: {@link Dialect.recordTables}. */
export const RECORD_TABLES: readonly string[] = ["records", ...KEPT_TABLES, "tagged_records"];

/** The columns of all {@link Dialect.recordTables} that say which file has a content. */
const COLUMNS = "id, user_id, path, hash, size, crc32";

/**
 * The condition that a file has the content with a hash, so that the content is kept (C 5.4).
 *
 * @param hash An expression.
 * @param user An expression: whose file. @default anybody's
 */
export function isReferenced(tables: Tables, hash: string, user?: string): string {
  return `(${tables.recordTables.map((it) => heldBy(tables, it, hash, user)).join(" OR ")})`;
}

/** The condition that no file has the content. Engines join by it, which they do not by NOT of the other. */
export function isUnreferenced(tables: Tables, hash: string, user?: string): string {
  return tables.recordTables.map((it) => `NOT ${heldBy(tables, it, hash, user)}`).join(" AND ");
}

/**
 * All files that fulfill a condition, each with {@link COLUMNS} and `source`, the position of its table in
 * the list: a query in brackets.
 */
export function filesWhere(
  { recordTables }: Pick<Dialect, "recordTables">,
  condition: string,
): string {
  const parts = recordTables.map((table, source) =>
    `SELECT ${COLUMNS}, ${source} AS source FROM ${table} WHERE ${condition} AND hash <> ''`
  );
  return `(${parts.join(" UNION ALL ")})`;
}

function heldBy(
  { indexesFresh }: Tables,
  table: string,
  hash: string,
  user: string | undefined,
): string {
  if (table === FRESH_FILES && !indexesFresh) {
    // Read once for all hashes.
    const [columns, values] = user === undefined
      ? ["held.hash", hash]
      : ["held.hash, held.user_id", `(${hash}, ${user})`];
    return `${values} IN (SELECT ${columns} FROM ${table} AS held WHERE held.hash <> '')`;
  }
  const whose = user === undefined ? "" : ` AND held.user_id = ${user}`;
  return `EXISTS (SELECT 1 FROM ${table} AS held
    WHERE held.hash = ${hash} AND held.hash <> ''${whose})`;
}
