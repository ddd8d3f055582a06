import type { Clause, SoughtTerms } from "../../core/search_terms.ts";
import type { ToRows } from "../tables/search_index.ts";
import { type Condition, MAX_EXAMINED } from "../tables/search_conditions.ts";
import type { SearchEngine } from "../tables/search_part.ts";
import type { IndexSql } from "../tables/search_statements.ts";
import { POSTGRES } from "./dialect.ts";
import { LOCKS } from "./locks.ts";

/** Words that the index is asked for, each in documents and in cards: for the others, records are looked at. */
const MAX_WORDS = 3;

/** Searches by an index of the terms of texts, which the function `search_terms` finds. */
export const SEARCH: SearchEngine = {
  dialect: POSTGRES,
  candidates(userId, terms) {
    const { facts, words } = ofUser(userId, terms);
    const sought = words.toSorted((a, b) => b.length - a.length).slice(0, MAX_WORDS);
    const parts = Array.from(
      { length: 2 ** sought.length },
      (_, part) => partOf(facts, sought, part),
    );
    return {
      sql: parts.map(({ sql }) => `SELECT id FROM (${sql}) AS part`).join(" UNION "),
      parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)),
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

/**
 * Documents that have some of the words, and whose cards have the others.
 *
 * A condition with OR would have all terms found anew of each document that has the facts.
 *
 * @param part The words of cards, as the bits of their indexes.
 */
function partOf(facts: readonly Clause[], words: readonly Clause[], part: number): Condition {
  const given = (name: string) =>
    `ARRAY(SELECT value FROM json_array_elements_text(:${name}::json) AS value)`;
  const isOfCard = (index: number) => (part >> index) % 2 === 1;
  const own = words.filter((_, index) => !isOfCard(index)).flat();
  const ofCard = words.filter((_, index) => isOfCard(index)).flat();
  const conditions = [
    ...facts.map((_, index) => `search_terms(user_id, path, facts) && ${given(`fact${index}`)}`),
    ...own.length === 0 ? [] : [`search_terms(user_id, path, facts) @> ${given(`own${part}`)}`],
    ...ofCard.length === 0 ? [] : [
      `card = ANY(ARRAY(
        SELECT id FROM search_cards WHERE search_terms(user_id, words, '') @> ${
        given(`card${part}`)
      }
      ))`,
    ],
  ];
  return {
    sql: `SELECT id FROM search_documents WHERE ${conditions.join(" AND ")}
      LIMIT ${MAX_EXAMINED + 1}`,
    parameters: {
      ...Object.fromEntries(facts.map((it, index) => [`fact${index}`, JSON.stringify(it)])),
      ...own.length === 0 ? {} : { [`own${part}`]: JSON.stringify(own) },
      ...ofCard.length === 0 ? {} : { [`card${part}`]: JSON.stringify(ofCard) },
    },
  };
}

/** Each term begins with the number of the user. */
function ofUser(userId: number, { facts, words }: SoughtTerms): SoughtTerms {
  const own = (clause: readonly string[]) => clause.map((term) => `${userId}:${term}`);
  return { facts: facts.map(own), words: words.map(own) };
}

/** Inserts rows of `given`, of which those with a `card` have it in `search_cards`, by its id `card_id`. */
function withCards(given: string, insert: string): string {
  return `WITH given AS MATERIALIZED (${given}), added AS (
      INSERT INTO search_cards (user_id, words)
      SELECT DISTINCT user_id, card FROM given WHERE card <> ''
      ON CONFLICT DO NOTHING RETURNING id, user_id, words
    ), whole AS (
      SELECT given.*, coalesce(added.id, kept.id) AS card_id FROM given
      LEFT JOIN added ON added.user_id = given.user_id AND added.words = given.card
      LEFT JOIN search_cards AS kept
        ON kept.user_id = given.user_id AND md5(kept.words) = md5(given.card)
    ) ${insert} FROM whole`;
}

/** The statements of the index. */
export const INDEX_SQL: IndexSql = {
  // Nobody sees a part of a change.
  isChanging: "FALSE",
  batches: "(SELECT count(*) FROM (SELECT 1 FROM search_batches LIMIT 1) AS first)",
  alone: `SELECT pg_advisory_xact_lock(${LOCKS.searchIndex})`,
  keepDirectories: withCards(
    `SELECT id, records.user_id, own.facts, card
     FROM json_to_recordset(:directories::json) AS own (id bigint, facts text, card text)
     JOIN records USING (id)`,
    "INSERT INTO directory_facts (id, facts, card) SELECT id, facts, card_id",
  ),
  // A card goes with the last that has it.
  removeDocuments: `WITH gone AS (
      DELETE FROM search_documents
      WHERE id IN (SELECT value::bigint FROM json_array_elements_text(:ids::json) AS value)
      RETURNING id, card
    )
    DELETE FROM search_cards AS own WHERE own.id IN (SELECT card FROM gone)
      AND NOT EXISTS (
        SELECT FROM search_documents AS other
        WHERE other.card = own.id AND other.id NOT IN (SELECT id FROM gone)
      )
      AND NOT EXISTS (SELECT FROM directory_facts AS whole WHERE whole.card = own.id)`,
  addDocuments: withCards(
    `SELECT id, user_id, path, facts, card FROM json_to_recordset(:documents::json)
       AS (id bigint, user_id bigint, path text, facts text, card text)`,
    `INSERT INTO search_documents (id, user_id, path, facts, card)
     SELECT id, user_id, path, facts, card_id`,
  ),
};

/** Marks the records of a batch that a large change has left. */
export const MARK_BATCH = `WITH batch AS (
    DELETE FROM search_batches WHERE position = (
      SELECT position FROM search_batches ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
    ) RETURNING user_id, ids
  )
  INSERT INTO search_marks (user_id, id) SELECT user_id, unnest(ids) FROM batch RETURNING id`;

/**
 * What is kept, as {@link INDEX_SQL} takes it. Facts of a document are on a line each, with an empty line after those that
 * are found as a whole alone.
 */
export const TO_ROWS: ToRows = {
  documents: (documents) =>
    JSON.stringify(documents.map(({ id, userId, document: { path, card, values, marks } }) => {
      const facts = `${marks.join("\n")}\n\n${values.join("\n")}`;
      return { id, user_id: userId, path, facts, card };
    })),
  directories: (directories) =>
    JSON.stringify(directories.map(({ id, facts: { card, ...facts } }) => {
      return { id, facts: JSON.stringify(facts), card };
    })),
};
