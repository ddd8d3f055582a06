import { type Clause, type SearchDocument, termsOf } from "../../core/search_terms.ts";
import type { SearchEngine } from "../tables/search.ts";
import type { IndexSql } from "../tables/search_statements.ts";
import { SQLITE } from "./dialect.ts";

/** The first of the characters that stand for those of ASCII which separate tokens, as no text should have. */
const PRIVATE_USE = 0xe000;
const EQUALS = encode("=");

/** What follows the number of the user in a token. */
const AFTER_USER = "x";

/** Searches by the full text index of SQLite, whose tokens are terms. */
export const SEARCH: SearchEngine = {
  dialect: SQLITE,
  candidates(userId, clauses) {
    const match = clauses.map((clause) => `(${clause.map((it) => token(userId, it)).join(" OR ")})`)
      .join(" AND ");
    return {
      sql: "SELECT rowid AS id FROM search_terms WHERE search_terms MATCH :match",
      parameters: { match },
    };
  },
  // A cross join keeps the order of its tables.
  recordsOf: (ids) =>
    `(${ids}) AS candidate CROSS JOIN records AS target ON target.id = candidate.id`,
};

/** The statements of the index. */
export const INDEX_SQL: IndexSql = {
  isChanging: "user_id IN (SELECT user_id FROM large_change)",
  removeDocuments: `DELETE FROM search_terms
    WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids))`,
  addDocuments: `INSERT INTO search_terms (rowid, terms)
    SELECT value ->> 'id', value ->> 'terms' FROM json_each(:documents)`,
};

/** The tokens of a document. */
export function toDocument(userId: number, { path, values }: SearchDocument): { terms: string } {
  const encoded = { path: encode(path), values: values.map(encode) };
  const prefix = `${userId}${AFTER_USER}`;
  return { terms: `${prefix}${[...termsOf(encoded)].join(` ${prefix}`)}`.replaceAll("=", EQUALS) };
}

function token(userId: number, term: Clause[number]): string {
  return `"${userId}${AFTER_USER}${encode(term)}"`;
}

/** A text without characters that end a token: it has none of ASCII but letters and digits. */
function encode(text: string): string {
  return text.replace(
    /[^a-z0-9\u0080-\uffff]/g,
    (it) => String.fromCharCode(PRIVATE_USE + it.charCodeAt(0)),
  );
}
