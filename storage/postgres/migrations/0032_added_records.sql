-- Which records a version has added: all of them have ids from the one to the other. Other records may have, too.
ALTER TABLE tree_changes ADD COLUMN first_added bigint;
ALTER TABLE tree_changes ADD COLUMN last_added bigint;

-- The same of a large change, whose version is known at its end. No row outlives its transaction.
CREATE UNLOGGED TABLE late_additions (
  user_id bigint NOT NULL,
  first_added bigint NOT NULL,
  last_added bigint NOT NULL
);

CREATE OR REPLACE FUNCTION set_since() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owner bigint;
  lowest bigint;
  highest bigint;
  made bigint;
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN RETURN NULL; END IF;
  FOR owner, lowest, highest IN SELECT user_id, min(id), max(id) FROM added GROUP BY user_id LOOP
    made := version_of(owner);
    IF made > 0 THEN
      UPDATE tree_changes
      SET first_added = least(first_added, lowest), last_added = greatest(last_added, highest)
      WHERE user_id = owner AND version = made;
    ELSE
      INSERT INTO late_additions VALUES (owner, lowest, highest);
    END IF;
  END LOOP;
  IF NOT EXISTS (SELECT FROM added WHERE since = 0) THEN RETURN NULL; END IF;
  UPDATE records SET since = version_of(added.user_id) FROM added
  WHERE records.id = added.id AND added.since = 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION end_version() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner bigint;
  number bigint := nullif(current_setting('strongroom.change', true), '')::bigint;
BEGIN
  IF number IS NULL OR NOT (SELECT keeps_history FROM storage_state) THEN RETURN; END IF;
  FOR owner IN
    SELECT DISTINCT user_id FROM large_changes AS held WHERE held.change = number AND NOT EXISTS (
      SELECT FROM tree_changes AS ended WHERE ended.user_id = held.user_id AND ended.change = number
    ) ORDER BY user_id
  LOOP
    PERFORM raise_version(owner, number);
  END LOOP;
  UPDATE tree_changes SET first_added = added.lowest, last_added = added.highest FROM (
    SELECT user_id, min(first_added) AS lowest, max(last_added) AS highest FROM late_additions GROUP BY user_id
  ) AS added WHERE tree_changes.user_id = added.user_id AND change = number;
  DELETE FROM late_additions;
  UPDATE tree_versions SET history_bytes = history_bytes + kept.bytes FROM (
    SELECT user_id, sum(size) AS bytes FROM fresh_history
    WHERE until = -number AND NOT is_moved
      AND user_id IN (SELECT user_id FROM large_changes AS held WHERE held.change = number)
    GROUP BY user_id
  ) AS kept WHERE tree_versions.user_id = kept.user_id;
END $$;
