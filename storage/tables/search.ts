import * as v from "valibot";
import { soughtTermsOf } from "../../core/search_terms.ts";
import type { FoundRecord, Known, SearchPage } from "../../core/search.ts";
import { MainFacts } from "../../schemas/facts.ts";
import { SEARCH_KINDS } from "../../schemas/search.ts";
import type { SqlValue } from "./dialect.ts";
import { recordOf } from "./record_rows.ts";
import {
  type Condition,
  filesBelow,
  KIND,
  MAX_EXAMINED,
  verdictOfRank,
  worstBelow,
} from "./search_conditions.ts";
import { countFound } from "./search_facets.ts";
import {
  foundIn,
  type Part,
  rangeOf,
  type SearchEngine,
  type SearchRequest,
  type Source,
} from "./search_part.ts";

/** Records of the index that are looked at together while a page by path is filled, at most. */
const LOOKED_AT_ONCE = 500;

/** Records that a page through the tree looks at. */
const MAX_WALKED = 10_000;

/** Files that a page by path looks at for the verdicts of directories, which takes as long as five records. */
const MAX_JUDGED_FILES = 2000;

/** A directory with more files has no worst verdict. */
const MAX_JUDGED = 1000;

/** What {@link recordOf} reads, before the key of the order. */
const COLUMNS = `id, user_id, path, name, coalesce(hash, '') AS hash, size, crc32, is_dir,
  created_at, updated_at`;
const SORT_KEY = 10;

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
  const terms = soughtTermsOf(request);
  const found = terms && engine.candidates(userId, terms);
  const { isComplete, ids } = await stateOf(source, { userId, engine, found });
  const part: Part = {
    ...{ source, request, engine },
    candidates: ids && givenIds(ids, engine),
    range: rangeOf(request, engine.dialect, ""),
  };
  const isByPath = sort.by === "path";
  const looksAtAll = !isByPath || wantsFacets;
  const isBounded = looksAtAll && (ids !== undefined || await isSmall(part)) &&
    await judgedAtMost(part, MAX_EXAMINED) < MAX_EXAMINED;
  if (!isByPath && !isBounded) return undefined;
  if (wantsFacets && isBounded) {
    const { facets, ids } = await countFound(part, SORT_KEYS[sort.by]);
    const page = await pageOf({ ...part, candidates: givenIds(ids, engine) });
    return { ...page, isComplete, facets };
  }
  const page = !isByPath
    ? await pageOf(part)
    : ids === undefined
    ? await nextPart(source, request, engine)
    : await pageByPath(part);
  return { ...page, isComplete, facets: undefined };
}

/** Whether a part has no more records than may all be looked at. */
async function isSmall({ source, range }: Part): Promise<boolean> {
  const [[records] = []] = await source.values(
    `SELECT count(*) FROM (
       SELECT 1 FROM records AS target WHERE ${range.sql} LIMIT ${MAX_EXAMINED + 1}
     ) AS counted`,
    range.parameters,
  );
  return Number(records) <= MAX_EXAMINED;
}

/**
 * Whether the index has all there is to know of a tree, and the ids of the records to look at: all that it has under the
 * terms, and all that are marked. One statement reads both, as upkeep makes documents of marks meanwhile. Undefined if
 * they are too many, or the index was not asked.
 */
async function stateOf(
  source: Source,
  { userId, engine: { dialect, marks }, found }: {
    readonly userId: number;
    readonly engine: SearchEngine;
    readonly found: Condition | undefined;
  },
): Promise<{ readonly isComplete: boolean; readonly ids: readonly number[] | undefined }> {
  const atMost = (sql: string) => `(${sql} LIMIT ${MAX_EXAMINED + 1}) AS counted`;
  const marked = (column: string) => `SELECT ${column} FROM (${marks}) AS marked`;
  const few = (sql: string) => `SELECT id FROM ${atMost(sql)}`;
  const ids = found && dialect.array("id", `(${few(found.sql)} UNION ${few(marked("id"))}) AS few`);
  const [row = []] = await source.values(
    `SELECT (SELECT unindexed FROM storage_state),
       (SELECT count(parent) FROM ${atMost(marked("parent"))}),
       (SELECT count(*) FROM ${atMost(marked("id"))}),
       ${ids === undefined ? "NULL" : `(${ids})`}`,
    { user: userId, ...found?.parameters },
  );
  const [unindexed = 0, directories = 0, waiting = 0] = row.slice(0, 3).map(Number);
  const all = typeof row[3] === "string" ? v.parse(Ids, JSON.parse(row[3])) : undefined;
  const isFew = unindexed === 0 && waiting <= MAX_EXAMINED &&
    all !== undefined && all.length <= MAX_EXAMINED;
  return {
    isComplete: unindexed === 0 && directories === 0 && waiting <= MAX_EXAMINED,
    ids: isFew ? all : undefined,
  };
}

const Ids = v.array(v.number());

/** A statement with the ids of records that are to be looked at. */
function givenIds(ids: readonly number[], { dialect }: SearchEngine): Condition {
  return {
    sql: `SELECT CAST(value AS bigint) AS id FROM ${dialect.texts(":ids")} AS given`,
    parameters: { ids: JSON.stringify(ids) },
  };
}

/** How many files a verdict of directories has to look at, if they are fewer than this. */
async function judgedAtMost(part: Part, most: number): Promise<number> {
  const judged = judgedFiles(part);
  if (judged === undefined) return 0;
  const [[files] = []] = await part.source.values(
    `SELECT count(*) FROM (SELECT 1 ${judged.sql} LIMIT ${most}) AS counted`,
    judged.parameters,
  );
  return Number(files);
}

/** Goes on through the tree for some thousands of records, in two statements: until where, and what is found there. */
async function nextPart(
  source: Source,
  request: SearchRequest,
  engine: SearchEngine,
): Promise<Pick<SearchPage, "records" | "next">> {
  const { byPath } = engine.dialect;
  const range = rangeOf(request, engine.dialect, request.after);
  const whole: Part = { source, request, engine, candidates: undefined, range };
  const [last] = await source.values(
    `SELECT path FROM records AS target WHERE ${range.sql}
     ORDER BY ${byPath("path")} LIMIT 1 OFFSET ${MAX_WALKED - 1}`,
    range.parameters,
  );
  const lastOfPart = last === undefined ? undefined : String(last[0]);
  const part = lastOfPart === undefined ? whole : upTo(whole, lastOfPart);
  const end = await endOfJudged(part);
  const page = await pageOf(end === undefined ? part : upTo(whole, end));
  return page.next === undefined ? { ...page, next: end ?? lastOfPart } : page;
}

/** What of a part is not after a path. */
function upTo(part: Part, path: string): Part {
  const { sql, parameters } = part.range;
  return {
    ...part,
    range: {
      sql: `${sql} AND ${part.engine.dialect.comparePath("target.path", "<=", ":until")}`,
      parameters: { ...parameters, until: path },
    },
  };
}

/**
 * The directory of a part up to which, by path, there are as many files in directories as a page may look at for the
 * verdicts of these. Undefined if there are fewer, or no verdict of a directory is asked for.
 */
async function endOfJudged(part: Part, most = MAX_JUDGED_FILES): Promise<string | undefined> {
  const judged = judgedFiles(part);
  if (judged === undefined) return undefined;
  const [end] = await part.source.values(
    `SELECT target.path ${judged.sql}
     ORDER BY ${part.engine.dialect.byPath("target.path")} LIMIT 1 OFFSET ${most - 1}`,
    judged.parameters,
  );
  return end === undefined ? undefined : String(end[0]);
}

/** The files below the directories of a part, one by one for each. Undefined if no verdict of a directory is asked for. */
function judgedFiles(
  { request: { verdicts, kind }, engine: { dialect, recordsOf }, candidates, range }: Part,
): Condition | undefined {
  if (verdicts === undefined || kind === "file") return undefined;
  const records = candidates === undefined ? "records AS target" : recordsOf(candidates.sql);
  return {
    sql: `FROM ${records} CROSS JOIN records AS file
      WHERE ${range.sql} AND target.is_dir AND ${filesBelow("target", dialect)}`,
    parameters: { ...range.parameters, ...candidates?.parameters },
  };
}

/** A page by path of what the index has found, of which no more is looked at than fills it. */
async function pageByPath(part: Part): Promise<Pick<SearchPage, "records" | "next">> {
  const { source, request, engine, candidates } = part;
  const { dialect, recordsOf } = engine;
  if (candidates === undefined) throw new Error("The index was not asked");
  const range = rangeOf(request, dialect, request.after);
  const found = await source.values(
    `SELECT target.id FROM ${recordsOf(candidates.sql)} WHERE ${range.sql}
     ORDER BY ${dialect.byPath("target.path")}`,
    { ...range.parameters, ...candidates.parameters },
  );
  const ids = found.map(([id]) => Number(id));
  const records: FoundRecord[] = [];
  const { limit } = request;
  let [left, end]: [number, string | undefined] = [MAX_JUDGED_FILES, undefined];
  // Often, the first ones fill it.
  let size = Math.min(limit + 1, LOOKED_AT_ONCE);
  for (let start = 0; start < ids.length && records.length <= limit; start += size) {
    if (start > 0) size = LOOKED_AT_ONCE;
    const some: Part = {
      ...{ source, engine, range: part.range },
      request: { ...request, limit: limit + 1 - records.length },
      candidates: givenIds(ids.slice(start, start + size), engine),
    };
    const judged = await judgedAtMost(some, left);
    end = judged < left ? undefined : await endOfJudged(some, left);
    left -= judged;
    const page = await pageOf(end === undefined ? some : upTo(some, end));
    records.push(...page.records);
    if (end !== undefined) break;
  }
  const page = records.slice(0, limit);
  return { records: page, next: records.length > limit ? page.at(-1)?.path : end };
}

/** What is found in a part, in order, up to a page of it. */
async function pageOf(part: Part): Promise<Pick<SearchPage, "records" | "next">> {
  const { source, request, engine: { dialect } } = part;
  const { limit, sort: { by, isDescending }, after, wantsKnown, results } = request;
  const { sql, parameters } = foundIn(part);
  const isByPath = by === "path";
  const direction = isDescending ? "DESC" : "ASC";
  const order = isByPath ? dialect.byPath("path") : `sort_key ${direction}, id ${direction}`;
  const start = isByPath || after === "" ? undefined : startOf(request);
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

/** Where a page that is sorted by another key than the path begins. */
function startOf({ sort: { by, isDescending }, after }: SearchRequest): Condition {
  const operator = isDescending ? "<" : ">";
  const [key = 0, id = 0] = after.split("/").map(Number);
  return {
    sql: `(${SORT_KEYS[by]}, id) ${operator} (CAST(:key AS bigint), CAST(:id AS bigint))`,
    parameters: { key, id },
  };
}
