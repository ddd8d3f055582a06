-- Of the versions that a row of history held for, from "since" on, the one that the highest power of two divides; 0 is
-- divided by all. So the rows that hold for one version have few of these numbers. See docs/design/history.md.
ALTER TABLE history ADD COLUMN node INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER history_in_order;
CREATE TRIGGER history_in_order AFTER DELETE ON fresh_history BEGIN
  INSERT INTO history VALUES (
    OLD.user_id, OLD.until, OLD.id, OLD.since, OLD.path, OLD.parent, OLD.name, OLD.hash, OLD.size, OLD.crc32,
    OLD.is_dir, OLD.created_at, OLD.updated_at, OLD.is_moved,
    CASE OLD.since WHEN 0 THEN 0 ELSE (
      -- Below the first bit in which the last version differs from the one before all of them, none stays.
      SELECT (OLD.until - 1) & -(1 << (4 * length(differing) - CASE
        WHEN differing >= '8' THEN 1 WHEN differing >= '4' THEN 2 WHEN differing >= '2' THEN 3 ELSE 4
      END))
      FROM (SELECT format('%x', ((OLD.since - 1) | (OLD.until - 1)) - ((OLD.since - 1) & (OLD.until - 1))) AS differing)
    ) END
  );
END;

-- What was put into order before, as in the trigger.
UPDATE history SET node = CASE since WHEN 0 THEN 0 ELSE (
  SELECT (until - 1) & -(1 << (4 * length(differing) - CASE
    WHEN differing >= '8' THEN 1 WHEN differing >= '4' THEN 2 WHEN differing >= '2' THEN 3 ELSE 4
  END))
  FROM (SELECT format('%x', ((since - 1) | (until - 1)) - ((since - 1) & (until - 1))) AS differing)
) END;
DROP INDEX history_by_parent;
CREATE INDEX history_by_node ON history (user_id, node, parent, since);
