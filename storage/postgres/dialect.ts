import type { Dialect } from "../tables/dialect.ts";
import { RECORD_TABLES } from "../tables/references.ts";
import { HOLD } from "./locks.ts";
import { byPath, indexed, isParent, isTopLevel } from "./path_conditions.ts";

/** The id of this server, which its connections state. */
const SERVER = "current_setting('strongroom.server')";

/** What a row of an object has as its server if nobody sends it: it was content. */
export const NOBODY = "";

/** The SQL of PostgreSQL. */
export const POSTGRES: Dialect = {
  texts: (array) => `(SELECT value FROM json_array_elements_text(${array}::json) AS value)`,
  array: (column, from) => `SELECT coalesce(json_agg(${column}), '[]')::text FROM ${from}`,
  rows(array, columns) {
    const names = Object.keys(columns).join(", ");
    const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`).join(", ");
    return `(SELECT position - 1 AS position, ${names}
      FROM ROWS FROM (json_to_recordset(${array}::json) AS (${types}))
        WITH ORDINALITY AS item (${names}, position))`;
  },
  bytes: (hex) => `decode(${hex}, 'hex')`,
  hex: (bytes) => `encode(${bytes}, 'hex')`,
  bytewise: (text) => `${text} COLLATE "C"`,
  whiteSpace: "E'" +
    "\\u0020\\u00A0\\u1680\\u2000\\u2001\\u2002\\u2003\\u2004\\u2005\\u2006\\u2007\\u2008" +
    "\\u2009\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF'",
  lastId: "lastval()",
  // Indexes of paths have their first characters only.
  comparePath: (column, operator, value) =>
    `(${indexed(column)} ${operator === "=" ? "=" : `${operator[0]}=`} ${indexed(value)}
      AND ${column} ${operator} ${value})`,
  matches: (text, pattern) => `${text} ~ ${pattern}`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  firstSegment: (text) => `split_part(${text}, '/', 1)`,
  pattern: (letters) => letters.map((any) => `[${any.map(escaped).join("")}]`).join(""),
  lower: (text) => `lower(${text} COLLATE "C")`,
  json: (text) => `${text}::jsonb`,
  directoryFacts: "directory_facts_with_cards",
  textsIn: (json) =>
    `(SELECT string_agg(value #>> '{}', E'\\n') FROM jsonb_path_query(${json}, 'strict $.**') AS value
      WHERE jsonb_typeof(value) = 'string')`,
  pick: (json, keys) =>
    `jsonb_build_array(${keys.map((it) => `${json} -> '${it}'`).join(", ")})::text`,
  valuesOf: (json) => `jsonb_array_elements_text(${json}) AS it(value)`,
  keysOf: (json) => `jsonb_object_keys(${json}) AS it(key)`,
  pathKey: indexed,
  byPath,
  isParent,
  isTopLevel,
  child: "name",
  childKey: (_, name) => name,
  indexedBy: () => "",
  isCutShort: "cut_short",
  isLeft: (table) => `NOT EXISTS (SELECT FROM servers WHERE servers.id = ${table}.server)`,
  isOwn: (table) => `coalesce(${table}.server = ${SERVER}, false)`,
  resultKey: "hash, user_id, name, skip, version",
  isStale: "scan_results.version NOT IN (SELECT results_version FROM servers)",
  unhurried: "SELECT set_config('statement_timeout', '0', true)",
  take: `, server = ${SERVER}`,
  leave: ", server = NULL",
  forShare: "FOR SHARE",
  skipLocked: "FOR UPDATE SKIP LOCKED",
  isWhole: `coalesce(server = '${NOBODY}', FALSE)`,
  // Read after the snapshot of the statement: what that has as leaving, a backup that begins later has, too.
  mayDelete: `NOT EXISTS (
    SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted
      AND (classid, objid, objsubid) = (${HOLD.classId}, ${HOLD.objectId}, 2)
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  )`,
  // OFFSET keeps the engine from reading all rows, as it would if it expected many of those that are asked for.
  foundFor: (asked, { name }, condition) =>
    `${asked} AS asked CROSS JOIN LATERAL (
      SELECT * FROM ${name} AS state WHERE ${condition} OFFSET 0
    ) AS state`,
  leftJoin: (table, name, condition) =>
    `LEFT JOIN LATERAL (SELECT * FROM ${table} AS ${name} WHERE ${condition} OFFSET 0) AS ${name} ON TRUE`,
  versionIn: (table, column) =>
    `(CASE WHEN ${table}.${column} >= 0 THEN ${table}.${column} ELSE (
      SELECT ended.version FROM tree_changes AS ended
      WHERE ended.user_id = ${table}.user_id AND ended.change = -${table}.${column}
    ) END)`,
  recordTables: RECORD_TABLES,
  indexesFresh: true,
};

/** A character within brackets of a pattern. */
function escaped(character: string): string {
  return /[\\\]^-]/.test(character) ? `\\${character}` : character;
}
