/** All statements about the versions of trees (C 26), by name. */
export const HISTORY_STATEMENTS = {
  /** The versions that a tree has, and the one at a time. */
  versions:
    `SELECT keeps_history, coalesce(tree.version, 0) AS version, coalesce(tree.oldest, 0) AS oldest,
      (SELECT made_at FROM tree_changes
        WHERE tree_changes.user_id = :user AND tree_changes.version = tree.oldest) AS since,
      (SELECT max(tree_changes.version) FROM tree_changes
        WHERE tree_changes.user_id = :user AND made_at <= :time) AS at_time
    FROM storage_state LEFT JOIN tree_versions AS tree ON tree.user_id = :user`,
};

export type HistoryStatement = keyof typeof HISTORY_STATEMENTS;
