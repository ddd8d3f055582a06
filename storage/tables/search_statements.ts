import type { Dialect } from "./dialect.ts";
import { factsJoins } from "./search_part.ts";

/** How many records without a document are marked at once. */
const MARKED_AT_ONCE = 200;

/** Where the statements of the index differ. */
export interface IndexSql {
  /** Whether a change of the tree of a `search_marks` row is under way, which readers do not see yet. */
  readonly isChanging: string;
  /** How many batches of records wait for their marks, if only whether there are any. */
  readonly batches: string;
  /** Keeps other servers from making documents until the transaction ends. */
  readonly alone: string;
  /** Keeps the facts of `:directories`. */
  readonly keepDirectories: string;
  /** Removes the documents of `:ids`. */
  readonly removeDocuments: string;
  /** Adds `:documents`. */
  readonly addDocuments: string;
}

/** Removes the marks at `:positions`. */
export const dropMarksOf = ({ texts }: Pick<Dialect, "texts">) =>
  `DELETE FROM search_marks
    WHERE position IN (SELECT CAST(value AS bigint) FROM ${texts(":positions")} AS given)
    RETURNING position`;

/** Makes `:marks`. */
export const markAgainOf = ({ rows }: Pick<Dialect, "rows">) =>
  `INSERT INTO search_marks (user_id, id, parent)
    SELECT user_id, id, parent
    FROM ${rows(":marks", { user_id: "bigint", id: "bigint", parent: "text" })} AS given`;

/** All statements about the index of searches, by name. */
export const searchStatements = (
  { rows, texts, directoryFacts }: Dialect,
  { isChanging, batches, alone, keepDirectories, removeDocuments, addDocuments }: IndexSql,
) => ({
  users: `SELECT user_id FROM usage WHERE records > 0 AND user_id > :above
    ORDER BY user_id LIMIT 100`,
  /** What has changed, the oldest first, after a position. */
  marks: `SELECT position, user_id, id, parent FROM search_marks
    WHERE position > :after AND NOT ${isChanging} ORDER BY position LIMIT :limit`,
  alone,
  /** The records of these ids, with their facts. */
  searched: `SELECT target.id, target.user_id, target.path,
      CASE WHEN target.is_dir THEN 1 ELSE 0 END AS is_dir,
      coalesce(kept.facts, whole.facts) AS facts
    FROM ${rows(":ids", { id: "bigint" })} AS wanted
    CROSS JOIN records AS target
    ${factsJoins({ directoryFacts })}
    WHERE target.id = wanted.id`,
  dropMarks: dropMarksOf({ texts }),
  markAgain: markAgainOf({ rows }),
  dropDirectories: `DELETE FROM directory_facts
    WHERE id IN (SELECT CAST(value AS bigint) FROM ${texts(":ids")} AS given)`,
  keepDirectories,
  removeDocuments,
  addDocuments,
  unindexed: `SELECT unindexed, ${batches} AS batches FROM storage_state`,
  /** Marks the next records that have no document, the newest first. Returns those that it has marked. */
  markOld: `INSERT INTO search_marks (user_id, id, parent)
    SELECT user_id, id, CASE WHEN EXISTS (
        SELECT 1 FROM facts WHERE facts.hash = records.hash AND facts.user_id = records.user_id
          AND facts.name = records.name
      ) THEN parent END
    FROM records WHERE id <= :unindexed ORDER BY id DESC LIMIT ${MARKED_AT_ONCE}
    RETURNING id`,
  setUnindexed: `UPDATE storage_state SET unindexed = :next WHERE unindexed = :unindexed
    RETURNING unindexed`,
});

export type SearchStatement = keyof ReturnType<typeof searchStatements>;
