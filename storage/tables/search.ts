import { compareBytewise } from "../../core/paths.ts";
import type { SearchPage, SearchQuery } from "../../core/search.ts";
import type { Dialect, SqlParameters, SqlValue } from "./dialect.ts";
import { recordOf } from "./record_rows.ts";

/** Records that a page of a search looks at: some milliseconds of an engine. */
const MAX_EXAMINED = 20_000;

/** What {@link recordOf} reads, on each engine. */
const COLUMNS = `id, user_id, path, name, coalesce(hash, '') AS hash, size, crc32,
  CASE WHEN is_dir THEN 1 ELSE 0 END AS is_dir, created_at, updated_at`;

type Rows = readonly (readonly SqlValue[])[];

/** What runs a statement, and returns the values of its rows. */
interface Source {
  values(sql: string, parameters: SqlParameters): Rows | Promise<Rows>;
}

/**
 * A page of a search, in two statements: where it ends at the latest, and what it finds until there. So it takes no
 * longer if nothing matches.
 */
export async function searchPage(
  source: Source,
  { userId, directory, words, after, limit }: SearchQuery,
  dialect: Dialect,
): Promise<SearchPage> {
  const { comparePath, byPath } = dialect;
  const first = directory === "" ? "" : `${directory}/`;
  const from = compareBytewise(after, first) > 0 ? after : first;
  // All paths below a directory sort up to this one, as "0" follows "/" in ASCII.
  const below: SqlParameters = directory === "" ? {} : { end: `${directory}0` };
  const range = `user_id = :user AND ${comparePath("path", ">", ":from")}`;
  const isBelow = directory === "" ? "TRUE" : comparePath("path", "<", ":end");
  const parameters = { user: userId, from };
  const [last] = await source.values(
    `SELECT path FROM records WHERE ${range} AND ${isBelow}
     ORDER BY ${byPath("path")} LIMIT 1 OFFSET ${MAX_EXAMINED - 1}`,
    { ...parameters, ...below },
  );
  const end = last === undefined ? undefined : String(last[0]);
  const text = directory === "" ? "path" : `substr(path, ${[...first].length + 1})`;
  const matches = words.map((_, index) => dialect.matches(text, `:word${index}`));
  const patterns = words.map((word, index) => [`word${index}`, dialect.pattern(lettersOf(word))]);
  const rows = await source.values(
    `SELECT ${COLUMNS} FROM records
     WHERE ${range} AND ${end === undefined ? isBelow : comparePath("path", "<=", ":end")}
       AND ${matches.join(" AND ")}
     ORDER BY ${byPath("path")} LIMIT ${limit + 1}`,
    { ...parameters, ...(end === undefined ? below : { end }), ...Object.fromEntries(patterns) },
  );
  const records = rows.slice(0, limit).map(recordOf);
  return { records, next: rows.length > limit ? records.at(-1)?.path : end };
}

/** The characters of a word, each with those that it is in the other case, where that is one character. */
function lettersOf(word: string): readonly (readonly string[])[] {
  return [...word].map((letter) => {
    const cases = [letter, letter.toLowerCase(), letter.toUpperCase()];
    return [...new Set(cases.filter((it) => [...it].length === 1))];
  });
}
