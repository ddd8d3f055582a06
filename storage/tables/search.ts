import * as v from "valibot";
import { compareBytewise } from "../../core/paths.ts";
import { type Clause, clausesOf } from "../../core/search_terms.ts";
import type { FoundRecord, Known, SearchPage, SearchQuery } from "../../core/search.ts";
import { MainFacts } from "../../schemas/facts.ts";
import { SEARCH_KINDS } from "../../schemas/search.ts";
import type { Dialect, SqlValue } from "./dialect.ts";
import { recordOf } from "./record_rows.ts";
import {
  type Condition,
  conditionsOf,
  KIND,
  type Source,
  verdictOfRank,
  worstBelow,
} from "./search_conditions.ts";
import { facetsIn } from "./search_facets.ts";
import { type CurrentResults, VERDICT_COLUMNS, VERDICT_JOINS } from "./verdict_statements.ts";

/** Records that a page of a search looks at: some milliseconds of an engine. */
const MAX_EXAMINED = 20_000;

/** Records of the index that are looked at together while a page by path is filled. */
const LOOKED_AT_ONCE = 500;

/** A directory with more files has no worst verdict. */
const MAX_JUDGED = 1000;

/** What {@link recordOf} reads, before the key of the order. */
const COLUMNS = `id, user_id, path, name, coalesce(hash, '') AS hash, size, crc32, is_dir,
  created_at, updated_at`;
const SORT_KEY = 10;

/** How an engine searches. */
export interface SearchEngine {
  readonly dialect: Dialect;
  /** The ids, as a column `id`, of what the index has under all clauses in the tree of a user. */
  candidates(userId: number, clauses: readonly Clause[]): Condition;
  /** The records of a statement with a column `id`, as a table `target`: they are looked up one by one. */
  recordsOf(ids: string): string;
}

/** A search, and the scan results that count for it. */
export interface SearchRequest extends SearchQuery {
  readonly results: CurrentResults;
}

/** The part of the tree that a page looks at, and what is asked of its records. */
interface Part {
  readonly source: Source;
  readonly request: SearchRequest;
  readonly engine: SearchEngine;
  /** What the index has found. @default all that the range has is looked at */
  readonly candidates: Condition | undefined;
  /** Where the paths are. */
  readonly range: Condition;
}

/**
 * A page of a search. Which records there are to look at says an index, if it finds few enough; else the page ends after
 * some thousands of records. So it takes no longer if nothing matches. See docs/design/search.md.
 */
export async function searchPage(
  source: Source,
  request: SearchRequest,
  engine: SearchEngine,
): Promise<SearchPage | undefined> {
  const { userId, sort, wantsFacets } = request;
  const clauses = clausesOf(request);
  const found = clauses.length === 0 ? undefined : engine.candidates(userId, clauses);
  const { isComplete, isFew } = await stateOf(source, userId, found);
  const isIndexed = found !== undefined && isFew;
  if (isIndexed) {
    const part = {
      ...{ source, request, engine },
      candidates: {
        sql: `${found.sql} UNION SELECT id FROM search_marks WHERE user_id = :user`,
        parameters: found.parameters,
      },
      range: rangeOf(request, engine.dialect, ""),
    };
    const page = sort.by === "path" ? await pageByPath(part) : await pageOf(part);
    return {
      ...page,
      isComplete,
      facets: wantsFacets ? await facetsIn(source, foundIn(part), engine.dialect) : undefined,
    };
  }
  if (sort.by !== "path") return undefined;
  const page = await nextPart(source, request, engine);
  return { ...page, isComplete, facets: undefined };
}

/** Whether the index has all there is to know of a tree, and few enough candidates. */
async function stateOf(
  source: Source,
  userId: number,
  candidates: Condition | undefined,
): Promise<{ readonly isComplete: boolean; readonly isFew: boolean }> {
  const few = (sql: string) =>
    `(SELECT count(*) FROM (${sql} LIMIT ${MAX_EXAMINED + 1}) AS counted)`;
  const marks = "SELECT 1 FROM search_marks WHERE user_id = :user";
  const [row = []] = await source.values(
    `SELECT (SELECT unindexed FROM storage_state),
       (SELECT count(*) FROM (${marks} AND parent IS NOT NULL LIMIT 1) AS directories),
       ${few(marks)}, ${candidates === undefined ? "0" : few(candidates.sql)}`,
    { user: userId, ...candidates?.parameters },
  );
  const [unindexed = 0, directories = 0, marked = 0, found = 0] = row.map(Number);
  return {
    isComplete: unindexed === 0 && directories === 0,
    isFew: unindexed === 0 && marked + found <= MAX_EXAMINED,
  };
}

/** Goes on through the tree for some thousands of records, in two statements: until where, and what is found there. */
async function nextPart(
  source: Source,
  request: SearchRequest,
  engine: SearchEngine,
): Promise<Pick<SearchPage, "records" | "next">> {
  const { byPath, comparePath } = engine.dialect;
  const range = rangeOf(request, engine.dialect, request.after);
  const [last] = await source.values(
    `SELECT path FROM records AS target WHERE ${range.sql}
     ORDER BY ${byPath("path")} LIMIT 1 OFFSET ${MAX_EXAMINED - 1}`,
    range.parameters,
  );
  const end = last === undefined ? undefined : String(last[0]);
  const until: Condition = end === undefined ? range : {
    sql: `${range.sql} AND ${comparePath("target.path", "<=", ":until")}`,
    parameters: { ...range.parameters, until: end },
  };
  const part = { source, request, engine, candidates: undefined, range: until };
  const page = await pageOf(part);
  return page.next === undefined ? { ...page, next: end } : page;
}

/** The records below the directory, and after a path. */
function rangeOf(
  { userId, directory }: SearchRequest,
  { comparePath }: Dialect,
  after: string,
): Condition {
  const first = directory === "" ? "" : `${directory}/`;
  const from = compareBytewise(after, first) > 0 ? after : first;
  const start = `target.user_id = :user AND ${comparePath("target.path", ">", ":from")}`;
  const parameters = { user: userId, from };
  if (directory === "") return { sql: start, parameters };
  // All paths below a directory sort up to this one, as "0" follows "/" in ASCII.
  return {
    sql: `${start} AND ${comparePath("target.path", "<", ":end")}`,
    parameters: { ...parameters, end: `${directory}0` },
  };
}

/** A page by path of what the index has found, of which no more is looked at than fills it. */
async function pageByPath(part: Part): Promise<Pick<SearchPage, "records" | "next">> {
  const { source, request, engine: { dialect, recordsOf }, candidates } = part;
  if (candidates === undefined) throw new Error("The index was not asked");
  const range = rangeOf(request, dialect, request.after);
  const found = await source.values(
    `SELECT target.id FROM ${recordsOf(candidates.sql)} WHERE ${range.sql}
     ORDER BY ${dialect.byPath("target.path")}`,
    { ...range.parameters, ...candidates.parameters },
  );
  const ids = found.map(([id]) => ({ id: Number(id) }));
  const records: FoundRecord[] = [];
  const { limit } = request;
  for (let start = 0; start < ids.length && records.length <= limit; start += LOOKED_AT_ONCE) {
    const some = JSON.stringify(ids.slice(start, start + LOOKED_AT_ONCE));
    const page = await pageOf({
      ...part,
      request: { ...request, limit: limit + 1 - records.length },
      candidates: {
        sql: `SELECT id FROM ${dialect.rows(":ids", { id: "bigint" })} AS given`,
        parameters: { ids: some },
      },
    });
    records.push(...page.records);
  }
  const isLast = records.length <= limit;
  const page = records.slice(0, limit);
  return { records: page, next: isLast ? undefined : page.at(-1)?.path };
}

/** What is found in a part, in order, up to a page of it. */
async function pageOf(part: Part): Promise<Pick<SearchPage, "records" | "next">> {
  const { source, request, engine: { dialect } } = part;
  const { limit, sort: { by, isDescending }, after, wantsKnown, results } = request;
  const { sql, parameters } = foundIn(part);
  const isByPath = by === "path";
  const direction = isDescending ? "DESC" : "ASC";
  const order = isByPath ? dialect.byPath("path") : `sort_key ${direction}, id ${direction}`;
  const start = after === "" ? undefined : startOf(part);
  const page = `SELECT item.*, ${SORT_KEYS[by]} AS sort_key FROM (${sql}) AS item
    ${start === undefined ? "" : `WHERE ${start.sql}`}
    ORDER BY ${order} LIMIT ${limit + 1}`;
  // What is known is looked up of the page alone.
  const known = wantsKnown ? `, ${KIND}, said, (${worstBelow(dialect, MAX_JUDGED)})` : "";
  const rows = await source.values(
    `SELECT ${COLUMNS}, sort_key${known} FROM (${page}) AS item ORDER BY ${order}`,
    { ...parameters, ...start?.parameters, ...wantsKnown ? results : {} },
  );
  const records = rows.slice(0, limit).map((row) =>
    wantsKnown ? { ...recordOf(row), known: knownOf(row.slice(-3)) } : recordOf(row)
  );
  const last = records.at(-1);
  if (rows.length <= limit || last === undefined) return { records, next: undefined };
  const key = rows[limit - 1]?.[SORT_KEY];
  return { records, next: isByPath ? last.path : `${key}/${last.id}` };
}

function knownOf([kind, said, worst]: readonly SqlValue[]): Known {
  return {
    kind: SEARCH_KINDS.find((it) => it === kind),
    facts: typeof said === "string" ? v.parse(MainFacts, JSON.parse(said)) : {},
    worst: typeof worst === "number" ? verdictOfRank(worst) : undefined,
  };
}

const SORT_KEYS = {
  path: "0",
  updated: "item.updated_at",
  size: "item.size",
  parameters: "coalesce(CAST(item.facts ->> 'parameters' AS bigint), -1)",
} as const;

/** Where the page begins. */
function startOf(
  { request: { sort: { by, isDescending }, after }, engine: { dialect } }: Part,
): Condition {
  const operator = isDescending ? "<" : ">";
  if (by === "path") {
    return { sql: dialect.comparePath("path", ">", ":after"), parameters: { after } };
  }
  const [key = 0, id = 0] = after.split("/").map(Number);
  return {
    sql: `(${SORT_KEYS[by]}, id) ${operator} (CAST(:key AS bigint), CAST(:id AS bigint))`,
    parameters: { key, id },
  };
}

/** All that is found in a part, as rows of `item`. */
function foundIn({ request, engine: { dialect, recordsOf }, candidates, range }: Part): Condition {
  const { directory, results, verdicts } = request;
  const below = directory === "" ? "item.path" : `substr(item.path, ${[...directory].length + 2})`;
  const conditions = conditionsOf(request, dialect, below);
  const isJudged = verdicts !== undefined;
  const records = candidates === undefined ? "records AS target" : recordsOf(candidates.sql);
  const sql = `SELECT item.* FROM (
      SELECT target.id, target.user_id, target.path, target.name, target.hash, target.size,
        target.crc32, CASE WHEN target.is_dir THEN 1 ELSE 0 END AS is_dir, target.created_at,
        target.updated_at, coalesce(kept.facts, whole.facts) AS said,
        ${dialect.json("coalesce(kept.facts, whole.facts)")} AS facts
        ${isJudged ? `, ${VERDICT_COLUMNS}` : ""}
      FROM ${records}
      ${isJudged ? VERDICT_JOINS : "LEFT JOIN contents ON contents.hash = target.hash"}
      LEFT JOIN facts AS kept ON kept.hash = target.hash AND kept.user_id = target.user_id
        AND kept.name = target.name AND kept.sha256 = coalesce(contents.sha256, kept.sha256)
      LEFT JOIN directory_facts AS whole ON whole.id = target.id
      WHERE ${range.sql}
    ) AS item
    WHERE ${["TRUE", ...conditions.map(({ sql }) => sql)].join(" AND ")}`;
  return {
    sql,
    parameters: Object.assign(
      {},
      range.parameters,
      candidates?.parameters,
      isJudged ? results : {},
      ...conditions.map(({ parameters }) => parameters),
    ),
  };
}
