import type { SearchConditions } from "../../core/search.ts";
import type { NumberRange } from "../../schemas/search.ts";
import { type Verdict, VERDICTS } from "../../schemas/verdict_names.ts";
import type { Dialect, SqlParameters } from "./dialect.ts";
import { VERDICT_COLUMNS, VERDICT_JOINS } from "./verdict_statements.ts";

/** Records that a page of a search looks at, and files that it looks at for the verdict of a directory. */
export const MAX_EXAMINED = 20_000;

/** A condition in SQL on a row `item`, with its parameters. */
export interface Condition {
  readonly sql: string;
  readonly parameters: SqlParameters;
}

/** What a directory is, by its worst file: the later, the worse. A file of no known format says nothing. */
const RANKS: readonly Verdict[] = [
  "unknown",
  "clean",
  "unscanned",
  "pending",
  "inconclusive",
  "failed",
  "suspicious",
  "dangerous",
];

/** What kind of thing an `item` is. See `documentOf` in core/search_terms.ts. */
export const KIND = `CASE
  WHEN item.is_dir = 0 THEN 'file'
  WHEN item.facts ->> 'format' IS NOT NULL OR ${isRepository("models")} THEN 'model'
  WHEN ${isRepository("datasets")} THEN 'dataset' END`;

function isRepository(root: string): string {
  return `substr(item.path, 1, ${root.length + 1}) = '${root}/' AND ${depthOf("item.path")} = 2`;
}

/** How many slashes a path has. */
function depthOf(path: string): string {
  return `length(${path}) - length(replace(${path}, '/', ''))`;
}

/**
 * The conditions of a search on an `item`: a record with its facts as JSON, and with its verdict if that is asked for.
 * The cheapest come first.
 *
 * @param below The path of an item below the directory.
 */
export function conditionsOf(
  conditions: SearchConditions & { readonly level?: number | undefined },
  dialect: Dialect,
  below: string,
): Condition[] {
  const { lower, texts, valuesOf, keysOf } = dialect;
  const { kind, level, parameters, updated, verdicts, tags = [] } = conditions;
  const facts = (name: string) => lower(`(item.facts ->> '${name}')`);
  const anyOf = (
    name: string,
    values: readonly string[] | undefined,
    sql: (list: string) => string,
  ): Condition[] =>
    values === undefined ? [] : [{
      sql: `(${sql(texts(`:${name}`))})`,
      parameters: { [name]: JSON.stringify(values.map(lowered)) },
    }];
  const within = (name: string, range: NumberRange | undefined, sql: string): Condition[] =>
    range === undefined ? [] : [{
      sql: `${sql} BETWEEN CAST(:${name}_min AS bigint) AND CAST(:${name}_max AS bigint)`,
      parameters: { [`${name}_min`]: range.min, [`${name}_max`]: range.max },
    }];
  const isListed = (key: string, list: string) =>
    `EXISTS (SELECT 1 FROM ${valuesOf(`(item.facts -> '${key}')`)} WHERE ${
      lower("it.value")
    } IN ${list})`;
  const { formats, architectures, licenses, dtypes, baseModels } = conditions;
  const asksFacts = [formats, architectures, licenses, dtypes, baseModels, parameters]
    .some((it) => it !== undefined) || tags.length > 0;
  const cheap = [
    ...level === undefined
      ? []
      : [{ sql: `item.is_dir = 1 AND ${depthOf(below)} = ${level - 1}`, parameters: {} }],
    ...within("updated", updated, "item.updated_at"),
    ...kind === undefined ? [] : [
      // Shows without the facts of an item, whether it can be of the kind.
      { sql: `item.is_dir = ${kind === "file" ? 0 : 1}`, parameters: {} },
      { sql: `${KIND} = :kind`, parameters: { kind } },
    ],
    // Most files say nothing.
    ...asksFacts ? [{ sql: "item.said IS NOT NULL", parameters: {} }] : [],
    ...anyOf("formats", formats, (list) => `${facts("format")} IN ${list}`),
    ...anyOf(
      "architectures",
      architectures,
      (list) => `${facts("architecture")} IN ${list}`,
    ),
    ...anyOf(
      "licenses",
      licenses,
      (list) => `${facts("license")} IN ${list} OR ${facts("spdx_license")} IN ${list}`,
    ),
    ...within("parameters", parameters, "CAST(item.facts ->> 'parameters' AS bigint)"),
    ...anyOf(
      "dtypes",
      dtypes,
      (list) =>
        `EXISTS (SELECT 1 FROM ${keysOf("(item.facts -> 'dtypes')")} WHERE ${
          lower("it.key")
        } IN ${list})
        OR EXISTS (SELECT 1 FROM ${list} AS wanted WHERE ${
          quantized(facts("quantization"), "wanted.value")
        })`,
    ),
    ...anyOf("base_models", baseModels, (list) => isListed("base_models", list)),
    ...tags.map((tag, index) => hasTag(`tag${index}`, tag, dialect)),
    ...conditions.words.map((word, index) => hasWord(`:word${index}`, word, dialect, below)),
  ];
  return verdicts === undefined ? cheap : [
    ...cheap,
    {
      // Engines that choose the order would judge what other conditions leave out.
      sql: `CASE WHEN ${["TRUE", ...cheap.map(({ sql }) => sql)].join(" AND ")}
        THEN ${hasVerdict(verdicts, dialect)} ELSE FALSE END`,
      parameters: Object.assign({}, ...cheap.map(({ parameters }) => parameters)),
    },
  ];
}

/** Whether the path or a text among the facts has a word. Most have it nowhere in their JSON, as a look at that shows. */
function hasWord(name: string, word: string, dialect: Dialect, below: string): Condition {
  const { textsIn } = dialect;
  const { isIn, value } = wordSearch(name, word, dialect);
  const isEscaped = /["\\]/.test(word);
  const inTexts = `CASE WHEN ${isEscaped ? "item.said IS NOT NULL" : isIn("item.said")}
    THEN ${isIn(`coalesce(${textsIn("item.facts")}, '')`)} ELSE FALSE END`;
  return { sql: `(${isIn(below)} OR ${inTexts})`, parameters: { [name.slice(1)]: value } };
}

/** How a word is looked for in whatever case. Within ASCII, there is no need for a pattern, which takes ten times as long. */
function wordSearch(
  name: string,
  word: string,
  { lower, contains, matches, pattern }: Dialect,
): { readonly isIn: (text: string) => string; readonly value: string } {
  return /^[\0-\x7f]*$/.test(word)
    ? { isIn: (text) => contains(lower(text), name), value: lowered(word) }
    : { isIn: (text) => matches(text, name), value: pattern(lettersOf(word)) };
}

/** Whether one of the quantizations of a text, by commas, is this one. */
function quantized(text: string, wanted: string): string {
  const all = `', ' || coalesce(${text}, '') || ', '`;
  return `replace(${all}, ', ' || ${wanted} || ', ', '') <> ${all}`;
}

/** A tag as the hub has it: what the author says, and some facts. */
function hasTag(name: string, tag: string, { lower, valuesOf }: Dialect): Condition {
  const isText = (fact: string, prefix = "") =>
    `${lower(`('${prefix}' || (item.facts ->> '${fact}'))`)} = :${name}`;
  const isListed = (fact: string, prefix = "") =>
    `EXISTS (SELECT 1 FROM ${valuesOf(`(item.facts -> '${fact}')`)}
      WHERE ${lower(`('${prefix}' || it.value)`)} = :${name})`;
  const options = [
    ...["format", "library", "task", "architecture"].map((it) => isText(it)),
    ...["license", "spdx_license"].map((it) => isText(it, "license:")),
    ...["tags", "languages"].map((it) => isListed(it)),
    isListed("base_models", "base_model:"),
    isListed("datasets", "dataset:"),
  ];
  return { sql: `(${options.join(" OR ")})`, parameters: { [name]: lowered(tag) } };
}

function hasVerdict(verdicts: readonly Verdict[], dialect: Dialect): string {
  const wanted = VERDICTS.filter((it) => verdicts.includes(it)).map((it) => `'${it}'`).join(", ");
  const ranks = RANKS.flatMap((it, rank) => verdicts.includes(it) ? [rank] : []).join(", ");
  const worst = worstBelow(dialect, MAX_EXAMINED);
  return wanted === ""
    ? "FALSE"
    : `CASE WHEN item.is_dir = 1 THEN (${worst}) IN (${ranks}) ELSE item.verdict IN (${wanted}) END`;
}

/**
 * The rank of the worst verdict below an `item` that is a directory.
 *
 * @param most If there are more files, there is none.
 */
export function worstBelow(dialect: Dialect, most: number): string {
  const rankOf = RANKS.map((it, rank) => `WHEN '${it}' THEN ${rank}`).join(" ");
  return `SELECT CASE WHEN count(*) <= ${most} THEN max(CASE judged.verdict ${rankOf} END) END
    FROM (
      SELECT ${VERDICT_COLUMNS} FROM (
        SELECT file.* FROM records AS file WHERE ${filesBelow("item", dialect)} LIMIT ${most + 1}
      ) AS target ${VERDICT_JOINS}
    ) AS judged`;
}

/** The verdict of a rank. */
export function verdictOfRank(rank: number): Verdict | undefined {
  return RANKS[rank];
}

/** Whether a `file` is one, and below a directory. */
export function filesBelow(directory: string, { comparePath }: Dialect): string {
  return `file.user_id = ${directory}.user_id AND file.hash <> ''
    AND ${comparePath("file.path", ">", `(${directory}.path || '/')`)}
    AND ${comparePath("file.path", "<", `(${directory}.path || '0')`)}`;
}

/** Like the engines, which know no other letters than those of ASCII. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (it) => it.toLowerCase());
}

/** The characters of a word, each with those that it is in the other case, where that is one character. */
function lettersOf(word: string): readonly (readonly string[])[] {
  return [...word].map((letter) => {
    const cases = [letter, letter.toLowerCase(), letter.toUpperCase()];
    return [...new Set(cases.filter((it) => [...it].length === 1))];
  });
}
