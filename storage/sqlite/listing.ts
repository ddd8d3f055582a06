import type { ListQuery, ResourceRecord } from "../../core/ports.ts";
import { KIB } from "../../schemas/units.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { preferred, recordOf } from "../tables/record_rows.ts";
import { RECORD_COLUMNS, scopeCondition } from "./lookup.ts";
import { descendantOf } from "./subtree.ts";

/** Records in a page, at most. */
const MAX_PAGE_RECORDS = 350;
/** The length of the paths in a page, of which only the last one may be over it. */
const MAX_PAGE_BYTES = 32 * KIB;

/** A statement with the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/** Part of a listing. */
export interface Page {
  readonly records: ResourceRecord[];
  readonly done: boolean;
}

/** A listing (RS 4.1, C 8), page by page. Between pages it holds no statement of the connection. */
export interface Listing {
  /** Whether it has a temporary table, and so needs the same connection for all further pages. */
  readonly hasTable: boolean;
  /** @param mayFill Whether it may make a temporary table. If it must not, but has to, there is no page. */
  next(connection: Connection, mayFill: boolean): Page | undefined;
}

/** Begins a listing. See docs/design/listings.md. */
export function openListing(query: ListQuery): Listing {
  return query.directories.length === 1 ? new DirectoryListing(query) : new SortedListing(query);
}

/** A listing of one directory, whose indexes are in path order: a page begins after the one before. */
class DirectoryListing implements Listing {
  readonly hasTable = false;
  readonly #query: ListQuery;
  #after = "";

  constructor(query: ListQuery) {
    this.#query = query;
  }

  next(connection: Connection): Page {
    const page = pageAfter(connection, this.#query, this.#after);
    this.#after = page.records.at(-1)?.path ?? this.#after;
    return page;
  }
}

/**
 * A listing of the root or of several directories. No index has its order, so a listing of more than a
 * page keeps the ids of its records, in order, in a temporary table.
 */
class SortedListing implements Listing {
  hasTable = false;
  readonly #query: ListQuery;
  #position = 0;
  #end = 0;

  constructor(query: ListQuery) {
    this.#query = query;
  }

  next(connection: Connection, mayFill: boolean): Page | undefined {
    if (!this.hasTable) {
      const first = this.#first(connection);
      if (first.done) return first;
      if (!mayFill) return undefined;
      this.#fill(connection);
    }
    return this.#page(connection);
  }

  #first(connection: Connection): Page {
    if (this.#query.directories.length > 0) return pageAfter(connection, this.#query, "");
    const { sql, parameters } = rootStatement(this.#query);
    const found = connection.values(sql, { ...parameters, limit: MAX_PAGE_RECORDS + 1 });
    const records = withinBytes(found.map(recordOf));
    return { records, done: records.length === found.length && found.length <= MAX_PAGE_RECORDS };
  }

  #fill(connection: Connection): void {
    const { sql, parameters } = this.#query.directories.length > 0
      ? pathIds(this.#query)
      : rootIds(this.#query);
    connection.script(`DROP TABLE IF EXISTS temp.listed;
      CREATE TEMP TABLE listed (position INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT`);
    connection.run(`INSERT INTO temp.listed (id) ${sql}`, parameters);
    this.#end = Number(connection.get("SELECT max(position) AS end FROM temp.listed")?.end);
    this.hasTable = true;
  }

  #page(connection: Connection): Page {
    const { condition, parameters } = this.#query.directories.length > 0
      ? scopeCondition(this.#query.scope)
      : rootCondition(this.#query);
    const upTo = this.#position + MAX_PAGE_RECORDS;
    const rows = connection.values(
      `SELECT ${RECORD_COLUMNS}, position FROM temp.listed AS listed CROSS JOIN records
       ON records.id = listed.id AND ${condition}
       WHERE position > :after AND position <= :upTo ORDER BY position`,
      { ...parameters, after: this.#position, upTo },
    );
    const records = withinBytes(rows.map(recordOf));
    // Records that have been deleted since leave gaps.
    this.#position = records.length === rows.length
      ? upTo
      : Number(rows[records.length - 1]?.at(-1));
    return { records, done: this.#position >= this.#end };
  }
}

/**
 * A statement that counts what a listing of the root or of one directory has below it, up to `limit`.
 * It reads no more index entries than that.
 */
export function shortListProbe(query: ListQuery, limit: number): Statement {
  const { condition, parameters } = scopeCondition(query.scope);
  const [directory] = query.directories;
  const level = directory === undefined
    ? query.recursive ? "TRUE" : "records.parent IS NULL"
    : query.recursive
    ? descendantOf("records.path", ":directory")
    : "records.parent = :directory";
  return {
    sql: `SELECT count(*) AS count FROM
      (SELECT 1 FROM records WHERE ${condition} AND ${level} LIMIT ${limit})`,
    parameters: directory === undefined ? parameters : { ...parameters, directory },
  };
}

/**
 * A whole listing of the root or of one directory in the scope of a user, or undefined if it has more than
 * `limit` records below it, or more than a page of paths.
 */
export function shortListing(
  connection: Connection,
  query: ListQuery,
  limit: number,
): ResourceRecord[] | undefined {
  const { sql, parameters } = shortListProbe(query, limit + 1);
  if (Number(connection.get(sql, parameters)?.count) > limit) return undefined;
  const [directory] = query.directories;
  if (directory === undefined || query.recursive) {
    const page = openListing(query).next(connection, false);
    return page?.done ? page.records : undefined;
  }
  const records = oneLevel(connection, query, directory);
  return withinBytes(records).length === records.length ? records : undefined;
}

/** One level of a directory. Two statements take half as long as one that merges what they find. */
function oneLevel(
  connection: Connection,
  { scope, chain }: ListQuery,
  directory: string,
): ResourceRecord[] {
  const { condition, parameters } = scopeCondition(scope);
  const above = chain.map((path, index) => [`path${index}`, path] as const);
  const rows = [
    // The paths of directories above sort before what is below.
    ...connection.values(
      `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND records.is_dir = 1
       AND records.path IN (${above.map(([name]) => `:${name}`).join()}) ORDER BY path`,
      { ...parameters, ...Object.fromEntries(above) },
    ),
    ...connection.values(
      `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND records.parent = :directory
       ORDER BY path`,
      { ...parameters, directory },
    ),
  ];
  return rows.map(recordOf);
}

/** The records of a listing in path order after a path. */
function pageAfter(connection: Connection, query: ListQuery, after: string): Page {
  const { sql, parameters } = pathsStatement(query, { onlyBelow: isBelow(query, after) });
  for (let limit = MAX_PAGE_RECORDS;; limit *= 2) {
    const rows = connection.values(
      `${sql} ORDER BY path LIMIT :limit`,
      { ...parameters, after, limit },
    ).map(recordOf);
    const isLast = rows.length < limit;
    // The last path may have more records than those that were read.
    const whole = isLast ? rows : rows.filter(({ path }) => path !== rows.at(-1)?.path);
    if (whole.length === 0 && !isLast) continue;
    const records = withinBytes(onePerPath(whole, query.scope.userId));
    return { records, done: isLast && records.at(-1)?.path === whole.at(-1)?.path };
  }
}

/** The first of the records, whose paths are not too long together. */
export function withinBytes(records: readonly ResourceRecord[]): ResourceRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ path, name }) => {
    const full = bytes > MAX_PAGE_BYTES;
    bytes += path.length + name.length;
    return full;
  });
  return end === -1 ? [...records] : records.slice(0, end);
}

export const ROOT_ORDER = "ORDER BY updated_at DESC, name, id";

function rootCondition({ scope, recursive }: ListQuery) {
  const { condition, parameters } = scopeCondition(scope);
  const level = recursive ? "TRUE" : "records.parent IS NULL";
  return { condition: `${condition} AND ${level}`, parameters };
}

/** RS 4.1.2 and 4.1.7: the first records of the root. The parameter `limit` is left out. */
export function rootStatement(query: ListQuery): Statement {
  const { condition, parameters } = rootCondition(query);
  return {
    sql: `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} ${ROOT_ORDER} LIMIT :limit`,
    parameters,
  };
}

function rootIds(query: ListQuery): Statement {
  const { condition, parameters } = rootCondition(query);
  return { sql: `SELECT id FROM records WHERE ${condition} ${ROOT_ORDER}`, parameters };
}

/** The ids of all records of a listing of directories, one for each path (RS 1.4, 4.1.5). */
function pathIds(query: ListQuery): Statement {
  const { sql, parameters } = pathsStatement(query);
  return {
    sql: `SELECT id FROM (
        SELECT id, path, row_number() OVER (
          PARTITION BY path ORDER BY user_id = :caller DESC, updated_at DESC, id
        ) AS rank FROM (${sql})
      ) WHERE rank = 1 ORDER BY path`,
    parameters: { ...parameters, caller: query.scope.userId, after: "" },
  };
}

/**
 * RS 4.1.3 to 4.1.6: the records after the path `after`, a parameter that is left out. There may be
 * several for a path. With one directory an index delivers each part in path order, so that SQLite
 * merges the parts without sorting.
 *
 * @param options.onlyBelow Whether to leave out all but what is below the directory. @default false
 */
export function pathsStatement(
  { scope, recursive, directories, chain }: ListQuery,
  { onlyBelow = false } = {},
): Statement {
  const { condition, parameters } = scopeCondition(scope);
  const [directory] = directories;
  const single = directories.length === 1;
  const below = (path: string) =>
    recursive
      ? `records.path > max(${path} || '/', :after) AND records.path < ${path} || '0'`
      : `records.parent = ${path} AND records.path > :after`;
  const inside = single
    ? `SELECT ${RECORD_COLUMNS} FROM records WHERE ${condition} AND ${below(":directory")}`
    : `SELECT ${RECORD_COLUMNS} FROM json_each(:directories) p CROSS JOIN records
      ON ${condition} AND ${below("p.value")}`;
  if (onlyBelow) return { sql: inside, parameters: { ...parameters, directory: directory ?? "" } };
  const at = (paths: string, isDir: 0 | 1) =>
    `SELECT ${RECORD_COLUMNS} FROM json_each(:${paths}) p CROSS JOIN records
      ON ${condition} AND records.path = p.value
      WHERE p.value > :after AND records.is_dir = ${isDir}`;
  const parts = [
    at("chain", 1),
    inside,
    ...recursive ? [at("directories", 0)] : [],
  ];
  const named: SqlParameters = { ...parameters, chain: JSON.stringify(chain) };
  if (single) named.directory = directory ?? "";
  if (!single || recursive) named.directories = JSON.stringify(directories);
  return { sql: parts.join("\nUNION ALL\n"), parameters: named };
}

/** Whether all records after a path are below the one directory of a listing. */
function isBelow({ directories }: ListQuery, after: string): boolean {
  const [directory] = directories;
  return directories.length === 1 && directory !== undefined && after.startsWith(`${directory}/`);
}

/** Reduces records in path order to one for each path, the one that RS 1.4 prefers (RS 4.1.5). */
function onePerPath(records: readonly ResourceRecord[], userId: number): ResourceRecord[] {
  const kept: ResourceRecord[] = [];
  for (const record of records) {
    const last = kept.at(-1);
    if (last?.path === record.path) kept[kept.length - 1] = preferred(last, record, userId);
    else kept.push(record);
  }
  return kept;
}
