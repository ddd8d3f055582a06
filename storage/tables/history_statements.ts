import { HISTORY_ROW_BYTES } from "../../core/history.ts";

/** What a row of history counts. */
export const KEPT_BYTES = `${HISTORY_ROW_BYTES} + CASE WHEN is_moved THEN 0 ELSE size END`;

/** How many rows a step gives up. Other writes run in between. */
const STEP_ROWS = 1000;

/** @param mayBegin A condition: whether rows may be put into order now. */
export function settling(mayBegin: string) {
  return {
    fresh: `SELECT 1 FROM fresh_history WHERE ${mayBegin} LIMIT 1`,
    /** Rows that leave this table get into order: a trigger adds them to the other one. */
    settle: `DELETE FROM fresh_history WHERE position IN (
        SELECT position FROM fresh_history WHERE ${mayBegin} ORDER BY position LIMIT ${STEP_ROWS}
      )`,
  } as const;
}

/** All statements about the versions of trees (C 26), by name. See docs/design/history.md. */
export const HISTORY_STATEMENTS = {
  /** The versions that a tree has, and the one at a time. */
  versions:
    `SELECT keeps_history, coalesce(tree.version, 0) AS version, coalesce(tree.oldest, 0) AS oldest,
      (SELECT made_at FROM tree_changes
        WHERE tree_changes.user_id = :user AND tree_changes.version = tree.oldest) AS since,
      CASE WHEN CAST(:time AS BIGINT) > 0 THEN (SELECT max(tree_changes.version) FROM tree_changes
        WHERE tree_changes.user_id = :user AND made_at <= :time) END AS at_time
    FROM storage_state LEFT JOIN tree_versions AS tree ON tree.user_id = :user`,
  turnOn:
    `UPDATE storage_state SET keeps_history = TRUE WHERE NOT keeps_history RETURNING 1 AS turned`,
  turnOff:
    `UPDATE storage_state SET keeps_history = FALSE WHERE keeps_history RETURNING 1 AS turned`,
  /** Nothing of a tree can be read while its oldest version is yet to come. */
  suspend:
    `INSERT INTO tree_versions (user_id, version, oldest) SELECT user_id, 0, 1 FROM usage WHERE TRUE
    ON CONFLICT (user_id) DO UPDATE SET oldest = tree_versions.version + 1`,
  /** History of a tree that has had none begins now, too. */
  begin:
    `INSERT INTO tree_versions (user_id, version, oldest) SELECT user_id, 0, 1 FROM usage WHERE TRUE
    ON CONFLICT (user_id) DO NOTHING`,
  resumeChanges: `INSERT INTO tree_changes (user_id, version, made_at)
    SELECT user_id, oldest, CAST(:now AS BIGINT) FROM tree_versions WHERE oldest > version`,
  resume: `UPDATE tree_versions SET version = oldest WHERE oldest > version`,
  kept: `SELECT coalesce(sum(tree.history_bytes), 0) AS bytes, min(next.made_at) AS earliest,
      coalesce(sum(CASE WHEN tree.oldest < tree.version THEN tree.version - tree.oldest ELSE 0 END), 0)
        AS versions,
      coalesce(sum(tree.oldest), 0) AS given_up
    FROM tree_versions AS tree LEFT JOIN tree_changes AS next
      ON next.user_id = tree.user_id AND next.version = tree.oldest + 1`,
  /** The version that was the present one at a time becomes the oldest, where others before it are kept. */
  expire: `UPDATE tree_versions SET oldest = coalesce((
      SELECT made.version - 1 FROM tree_changes AS made
      WHERE made.user_id = tree_versions.user_id AND made.version > tree_versions.oldest
        AND made.made_at > :before
      ORDER BY made.version LIMIT 1
    ), version)
    WHERE oldest < version AND EXISTS (
      SELECT 1 FROM tree_changes AS next
      WHERE next.user_id = tree_versions.user_id AND next.version = tree_versions.oldest + 1
        AND next.made_at <= :before
    )`,
  overfull:
    `SELECT user_id FROM tree_versions WHERE history_bytes > :max AND oldest < version LIMIT 1`,
  /** Gives up the versions that the oldest rows of a tree are of. */
  shrink: `UPDATE tree_versions SET oldest = (
      SELECT max(made.version) FROM tree_changes AS made WHERE made.user_id = :user AND made.version <= (
        SELECT max(next.version) FROM (
          SELECT later.version AS version FROM tree_changes AS later
          WHERE later.user_id = :user AND later.version > tree_versions.oldest
          ORDER BY later.version LIMIT 10
        ) AS next
      )
    ) WHERE user_id = :user AND oldest < version`,
  ...settling("TRUE"),
  /** Deletes rows of versions that are given up already: who reads one says so afterwards. */
  giveUp: `DELETE FROM history WHERE (user_id, until, id) IN (
      SELECT former.user_id, former.until, former.id
      FROM tree_versions AS tree JOIN history AS former ON former.user_id = tree.user_id
        AND former.until BETWEEN 1 AND tree.oldest
      LIMIT ${STEP_ROWS}
    ) RETURNING user_id, CASE WHEN is_moved THEN NULL ELSE hash END AS hash, ${KEPT_BYTES} AS bytes`,
  subtract: `UPDATE tree_versions SET history_bytes = CASE
      WHEN history_bytes > :bytes THEN history_bytes - :bytes ELSE 0 END
    WHERE user_id = :user`,
  /** That of a large change stays: records are of it by its number. */
  forget: `DELETE FROM tree_changes WHERE (user_id, version) IN (
      SELECT made.user_id, made.version
      FROM tree_versions AS tree JOIN tree_changes AS made ON made.user_id = tree.user_id
        AND made.version < tree.oldest AND made.change IS NULL
      LIMIT ${STEP_ROWS}
    ) RETURNING version`,
} as const;

export type HistoryStatement = keyof typeof HISTORY_STATEMENTS;
