import { exact, gramsOf, type SearchDocument } from "../../core/search_terms.ts";
import type { OwnDocument, ToRows } from "../tables/search_index.ts";
import type { SearchEngine } from "../tables/search_part.ts";
import type { IndexSql } from "../tables/search_statements.ts";
import { SQLITE } from "./dialect.ts";

/** The first of the characters that stand for those of ASCII which separate tokens, as no text should have. */
const PRIVATE_USE = 0xe000;
/** Each of the characters of ASCII, as {@link encode} has it. */
const ENCODED = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[a-z0-9]/.test(character) ? character : String.fromCharCode(PRIVATE_USE + code);
});

/** What follows the number of the user in a token. */
const AFTER_USER = "x";

/** Searches by the full text index of SQLite, whose tokens are terms. */
export const SEARCH: SearchEngine = {
  dialect: SQLITE,
  candidates(userId, { facts, words }) {
    const clauses = [...facts, ...words.flat().map((gram) => [gram])];
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
  marks: `SELECT id, parent FROM search_marks WHERE user_id = :user
    UNION ALL SELECT target.id, NULL
    FROM search_added AS added CROSS JOIN records AS target
    WHERE added.user_id = :user AND target.id BETWEEN added.first AND added.last`,
};

/** The statements of the index. */
export const INDEX_SQL: IndexSql = {
  isChanging: "user_id IN (SELECT user_id FROM large_change)",
  batches: "(SELECT count(*) FROM (SELECT 1 FROM search_added LIMIT 1) AS first)",
  // One thread writes.
  alone: "SELECT 1",
  keepDirectories: `INSERT INTO directory_facts (id, facts)
    SELECT value ->> 'id', value ->> 'facts' FROM json_each(:directories)`,
  removeDocuments: `DELETE FROM search_terms
    WHERE rowid IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids))`,
  addDocuments: `INSERT INTO search_terms (rowid, terms)
    SELECT CAST(key AS INTEGER), value FROM json_each(:documents)`,
};

/** Empties the index, and has no changes marked until it is made anew: as if all records, and all that come, were older. */
export const GIVE_UP_INDEX = `DELETE FROM search_marks;
  DELETE FROM search_added;
  DELETE FROM directory_facts;
  INSERT INTO search_terms (search_terms) VALUES ('delete-all');
  UPDATE storage_state SET unindexed = ${Number.MAX_SAFE_INTEGER};`;

/** What is kept, as {@link INDEX_SQL} takes it. */
export const TO_ROWS: ToRows = {
  documents: tokensOfDocuments,
  directories: (directories) =>
    JSON.stringify(directories.map(({ id, facts }) => ({ id, facts: JSON.stringify(facts) }))),
};

/** The tokens of documents by the ids of their records, the least id first: each other order takes FTS5 longer. */
function tokensOfDocuments(documents: readonly OwnDocument[]): string {
  const rows = documents.toSorted((a, b) => a.id - b.id)
    .map(({ id, userId, document }) => [String(id), tokensOf(userId, document)]);
  return JSON.stringify(Object.fromEntries(rows));
}

function tokensOf(userId: number, { path, card, values, marks }: SearchDocument): string {
  const prefix = ` ${userId}${AFTER_USER}`;
  let terms = "";
  for (const text of [path, card, ...values]) {
    for (const gram of gramsOf(encode(text))) terms += prefix + gram;
  }
  for (const value of [...values, ...marks]) terms += prefix + encode(exact(value));
  return terms;
}

function token(userId: number, term: string): string {
  return `"${userId}${AFTER_USER}${encode(term)}"`;
}

/** A text without characters that end a token: it has none of ASCII but letters and digits. */
function encode(text: string): string {
  let encoded = "";
  for (let index = 0; index < text.length; index++) {
    encoded += ENCODED[text.charCodeAt(index)] ?? text.charAt(index);
  }
  return encoded;
}
