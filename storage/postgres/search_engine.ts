import type { Clause } from "../../core/search_terms.ts";
import type { OwnDocument } from "../tables/search_index.ts";
import type { SearchEngine } from "../tables/search_part.ts";
import type { IndexSql } from "../tables/search_statements.ts";
import { POSTGRES } from "./dialect.ts";
import { LOCKS } from "./locks.ts";

/** Searches by an index of the terms of texts, which the function `search_terms` finds. */
export const SEARCH: SearchEngine = {
  dialect: POSTGRES,
  candidates(userId, clauses) {
    const conditions = clauses.map((_, index) =>
      `search_terms(user_id, path, facts) && ARRAY(
        SELECT value FROM json_array_elements_text(:clause${index}::json) AS value
      )`
    );
    return {
      sql: `SELECT id FROM search_documents WHERE ${conditions.join(" AND ")}`,
      parameters: Object.fromEntries(
        clauses.map((clause, index) => [`clause${index}`, termsOf(userId, clause)]),
      ),
    };
  },
  // No plan can look for candidates once for each record.
  recordsOf: (ids) =>
    `(${ids}) AS candidate CROSS JOIN LATERAL (
      SELECT * FROM records WHERE records.id = candidate.id OFFSET 0
    ) AS target`,
  marks: `SELECT id, parent FROM search_marks WHERE user_id = :user
    UNION ALL SELECT unnest(ids), NULL FROM search_batches WHERE user_id = :user`,
};

function termsOf(userId: number, clause: Clause): string {
  return JSON.stringify(clause.map((term) => `${userId}:${term}`));
}

/** The statements of the index. */
export const INDEX_SQL: IndexSql = {
  // Nobody sees a part of a change.
  isChanging: "FALSE",
  batches: "(SELECT count(*) FROM (SELECT 1 FROM search_batches LIMIT 1) AS first)",
  alone: `SELECT pg_advisory_xact_lock(${LOCKS.searchIndex})`,
  removeDocuments: `DELETE FROM search_documents
    WHERE id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json) AS value)`,
  addDocuments: `INSERT INTO search_documents (id, user_id, path, facts)
    SELECT id, user_id, path, facts
    FROM json_to_recordset(:documents::json) AS (id bigint, user_id bigint, path text, facts text)`,
};

/** Marks the records of a batch that a large change has left. */
export const MARK_BATCH = `WITH batch AS (
    DELETE FROM search_batches WHERE position = (
      SELECT position FROM search_batches ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING user_id, ids
  )
  INSERT INTO search_marks (user_id, id) SELECT user_id, unnest(ids) FROM batch RETURNING id`;

/**
 * The texts of documents, on a line each: their paths and cards; and their facts, with an empty line after those that are
 * found as a whole alone.
 */
export function toRows(documents: readonly OwnDocument[]): string {
  return JSON.stringify(documents.map(({ id, userId, document: { texts, values, marks } }) => {
    const facts = `${marks.join("\n")}\n\n${values.join("\n")}`;
    return { id, user_id: userId, path: texts.join("\n"), facts };
  }));
}
