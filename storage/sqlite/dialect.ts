import type { Dialect } from "../tables/dialect.ts";
import { RECORD_TABLES } from "../tables/references.ts";

/** The SQL of SQLite. */
export const SQLITE: Dialect = {
  texts: (array) => `(SELECT value FROM json_each(${array}))`,
  array: (column, from) => `SELECT json_group_array(${column}) FROM ${from}`,
  rows(array, columns) {
    const values = Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`);
    return `(SELECT key AS position, ${values.join(", ")} FROM json_each(${array}))`;
  },
  bytes: (hex) => `unhex(${hex})`,
  hex: (bytes) => `lower(hex(${bytes}))`,
  bytewise: (text) => text,
  // Spelled as in the index records_unnameable.
  whiteSpace: "char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, " +
    "8202, 8232, 8233, 8239, 8287, 12288, 65279)",
  lastId: "last_insert_rowid()",
  comparePath: (column, operator, value) => `${column} ${operator} ${value}`,
  matches: (text, pattern) => `${text} GLOB ${pattern}`,
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  firstSegment: (text) => `substr(${text}, 1, instr(${text} || '/', '/') - 1)`,
  pattern: (letters) => `*${letters.map(anyOf).join("")}*`,
  lower: (text) => `lower(${text})`,
  json: (text) => text,
  directoryFacts: "directory_facts",
  textsIn: (json) =>
    `(SELECT group_concat(atom, char(10)) FROM json_tree(${json}) WHERE type = 'text')`,
  pick: (json, keys) => `json_extract(${json}, ${keys.map((it) => `'$.${it}'`).join(", ")})`,
  valuesOf: (json) => `json_each(${json}) AS it`,
  keysOf: (json) => `json_each(${json}) AS it`,
  pathKey: (column) => column,
  byPath: (column) => column,
  isParent: (column, value) => `${column} = ${value}`,
  isTopLevel: (column) => `${column} IS NULL`,
  child: "path",
  childKey: (parent, name) => `${parent} || '/' || ${name}`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  isCutShort: "result ->> 'operationalError' IS NOT NULL",
  // One server has the database.
  isLeft: () => "TRUE",
  isOwn: () => "TRUE",
  resultKey: "hash, user_id, name, skip",
  isStale: "TRUE",
  unhurried: "SELECT 1",
  take: "",
  leave: "",
  forShare: "",
  skipLocked: "",
  isWhole: "FALSE",
  mayDelete: "TRUE",
  foundFor: (asked, { name, index }, condition) =>
    `${asked} AS asked CROSS JOIN ${name} AS state
      ${index === undefined ? "" : `INDEXED BY ${index}`} ON ${condition}`,
  leftJoin: (table, name, condition) => `LEFT JOIN ${table} AS ${name} ON ${condition}`,
  versionIn: (table, column) => `${table}.${column}`,
  // A large change keeps the former state of the records that it has changed.
  recordTables: [...RECORD_TABLES, "former_records"],
  indexesFresh: false,
};

/** A part of a pattern. A character stands for itself alone, or is within brackets. */
function anyOf(characters: readonly string[]): string {
  const [first = "", ...others] = characters;
  return others.length === 0 && !"*?[".includes(first) ? first : `[${characters.join("")}]`;
}
