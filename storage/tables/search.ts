import * as v from "valibot";
import { clausesOf } from "../../core/search_terms.ts";
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
import { facetsOf } from "./search_facets.ts";
import {
  foundIn,
  type Part,
  rangeOf,
  type SearchEngine,
  type SearchRequest,
  type Source,
} from "./search_part.ts";

/** Records of the index that are looked at together while a page by path is filled. */
const LOOKED_AT_ONCE = 500;

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
  const clauses = clausesOf(request);
  const found = clauses.length === 0 ? undefined : engine.candidates(userId, clauses);
  const { isComplete, isFew } = await stateOf(source, engine, userId, found);
  const part = found && isFew && {
    ...{ source, request, engine },
    candidates: {
      sql: `${found.sql} UNION SELECT id FROM (${engine.marks}) AS marked`,
      parameters: found.parameters,
    },
    range: rangeOf(request, engine.dialect, ""),
  };
  if (part && await endOfJudged(part) === undefined) {
    const page = sort.by === "path" ? await pageByPath(part) : await pageOf(part);
    return { ...page, isComplete, facets: wantsFacets ? await facetsOf(part) : undefined };
  }
  if (sort.by !== "path") return undefined;
  const page = await nextPart(source, request, engine);
  return { ...page, isComplete, facets: undefined };
}

/** Whether the index has all there is to know of a tree, and few enough candidates. */
async function stateOf(
  source: Source,
  engine: SearchEngine,
  userId: number,
  candidates: Condition | undefined,
): Promise<{ readonly isComplete: boolean; readonly isFew: boolean }> {
  const few = (sql: string) =>
    `(SELECT count(*) FROM (${sql} LIMIT ${MAX_EXAMINED + 1}) AS counted)`;
  const [row = []] = await source.values(
    `SELECT (SELECT unindexed FROM storage_state),
       (SELECT count(parent) FROM (${engine.marks} LIMIT ${MAX_EXAMINED + 1}) AS counted),
       ${few(engine.marks)}, ${candidates === undefined ? "0" : few(candidates.sql)}`,
    { user: userId, ...candidates?.parameters },
  );
  const [unindexed = 0, directories = 0, marked = 0, found = 0] = row.map(Number);
  return {
    isComplete: unindexed === 0 && directories === 0 && marked <= MAX_EXAMINED,
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
  const partUntil = (end: string | undefined): Part => ({
    ...{ source, request, engine, candidates: undefined },
    range: end === undefined ? range : {
      sql: `${range.sql} AND ${comparePath("target.path", "<=", ":until")}`,
      parameters: { ...range.parameters, until: end },
    },
  });
  const [last] = await source.values(
    `SELECT path FROM records AS target WHERE ${range.sql}
     ORDER BY ${byPath("path")} LIMIT 1 OFFSET ${MAX_EXAMINED - 1}`,
    range.parameters,
  );
  const lastOfPart = last === undefined ? undefined : String(last[0]);
  const end = await endOfJudged(partUntil(lastOfPart)) ?? lastOfPart;
  const page = await pageOf(partUntil(end));
  return page.next === undefined ? { ...page, next: end } : page;
}

/**
 * The directory of a part up to which, by path, there are as many files in directories as a page may look at for the
 * verdicts of these. Undefined if there are fewer, or no verdict of a directory is asked for.
 */
async function endOfJudged(
  { source, request: { verdicts, kind }, engine: { dialect, recordsOf }, candidates, range }: Part,
): Promise<string | undefined> {
  if (verdicts === undefined || kind === "file") return undefined;
  const records = candidates === undefined ? "records AS target" : recordsOf(candidates.sql);
  const [end] = await source.values(
    `SELECT target.path FROM ${records} CROSS JOIN records AS file
     WHERE ${range.sql} AND target.is_dir AND ${filesBelow("target", dialect)}
     ORDER BY ${dialect.byPath("target.path")} LIMIT 1 OFFSET ${MAX_EXAMINED - 1}`,
    { ...range.parameters, ...candidates?.parameters },
  );
  return end === undefined ? undefined : String(end[0]);
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
