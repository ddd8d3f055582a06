import { compareBytewise } from "../../core/paths.ts";
import type { SoughtTerms } from "../../core/search_terms.ts";
import type { SearchQuery } from "../../core/search.ts";
import type { Dialect, SqlParameters, SqlValue } from "./dialect.ts";
import { type Condition, conditionsOf } from "./search_conditions.ts";
import { type CurrentResults, VERDICT_COLUMNS, VERDICT_JOINS } from "./verdict_statements.ts";

type Rows = readonly (readonly SqlValue[])[];

/** What runs a statement, and returns the values of its rows. */
export interface Source {
  values(sql: string, parameters: SqlParameters): Rows | Promise<Rows>;
}

/** How an engine searches. */
export interface SearchEngine {
  readonly dialect: Dialect;
  /** The ids, as a column `id`, of what the index has under all terms in the tree of a user. */
  candidates(userId: number, terms: SoughtTerms): Condition;
  /** The records of a statement with a column `id`, as a table `target`: they are looked up one by one. */
  recordsOf(ids: string): string;
  /** The marks in the tree of `:user`: a query with the columns `id` and `parent`. */
  readonly marks: string;
}

/** A search, and the scan results that count for it. */
export interface SearchRequest extends SearchQuery {
  readonly results: CurrentResults;
}

/** The part of the tree that a page looks at, and what is asked of its records. */
export interface Part {
  readonly source: Source;
  readonly request: SearchRequest;
  readonly engine: SearchEngine;
  /** What the index has found. @default all that the range has is looked at */
  readonly candidates: Condition | undefined;
  /** Where the paths are. */
  readonly range: Condition;
}

/** Joins the rows of `target` with the facts of files and of directories. NULL is looked up in no index. */
export const factsJoins = ({ directoryFacts }: Pick<Dialect, "directoryFacts">) => `
  LEFT JOIN facts AS kept ON kept.hash = nullif(target.hash, '')
    AND kept.user_id = target.user_id AND kept.name = target.name AND kept.sha256 = coalesce((
      SELECT sha256 FROM contents AS stored WHERE stored.hash = target.hash
    ), kept.sha256)
  LEFT JOIN ${directoryFacts} AS whole ON whole.id = CASE WHEN target.is_dir THEN target.id END`;

/** The records below the directory, and after a path. */
export function rangeOf(
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

/** All that is found in a part, as rows of `item`. */
export function foundIn(
  { request, engine: { dialect, recordsOf }, candidates, range }: Part,
): Condition {
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
      ${factsJoins(dialect)}
      ${isJudged ? VERDICT_JOINS : ""}
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
