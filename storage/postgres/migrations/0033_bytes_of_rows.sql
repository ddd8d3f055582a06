-- How many rows a tag has: each takes bytes, as that of a directory or an empty file does.
ALTER TABLE tags ADD COLUMN records bigint NOT NULL DEFAULT 0;
UPDATE tags SET records = (SELECT count(*) FROM tagged_records AS tagged WHERE tagged.tag = tags.id);

-- What a row of history counts, besides the size of the file that it keeps: HISTORY_ROW_BYTES.
CREATE FUNCTION history_row_bytes() RETURNS integer LANGUAGE sql IMMUTABLE RETURN 500;

CREATE OR REPLACE FUNCTION keep_deleted() RETURNS trigger LANGUAGE plpgsql
-- The plan for one record is kept, and must not be quadratic for ten thousand. Changes of whole subtrees have turned
-- off all others.
SET enable_nestloop = off SET enable_hashjoin = on AS $$
DECLARE
  owner bigint;
  made bigint;
  bytes numeric;
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN RETURN NULL; END IF;
  FOR owner IN SELECT DISTINCT user_id FROM removed LOOP
    made := version_of(owner);
    CONTINUE WHEN made = 0;
    INSERT INTO fresh_history
    SELECT user_id, made, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, FALSE
    FROM removed WHERE user_id = owner AND since <> made;
    SELECT sum(size + history_row_bytes()) INTO bytes FROM removed WHERE user_id = owner AND since <> made;
    PERFORM count_kept(owner, made, bytes);
    CONTINUE WHEN NOT EXISTS (SELECT FROM removed WHERE user_id = owner AND since = made);
    WITH dropped AS (
      UPDATE fresh_history SET is_moved = FALSE FROM removed
      WHERE fresh_history.user_id = owner AND fresh_history.until = made AND fresh_history.id = removed.id
        AND removed.since = made AND is_moved
      RETURNING removed.size
    ) SELECT sum(size) INTO bytes FROM dropped;
    PERFORM count_kept(owner, made, bytes);
  END LOOP;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION keep_changed() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET enable_hashjoin = on AS $$
DECLARE
  owner bigint;
  made bigint;
  bytes numeric;
  replaces boolean;
  kept bigint;
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN RETURN NULL; END IF;
  FOR owner, replaces IN
    SELECT removed.user_id, bool_or(removed.hash <> added.hash) FROM removed JOIN added USING (id)
    WHERE (removed.path, removed.hash) IS DISTINCT FROM (added.path, added.hash) GROUP BY removed.user_id
  LOOP
    made := version_of(owner);
    CONTINUE WHEN made = 0;
    INSERT INTO fresh_history
    SELECT removed.user_id, made, id, removed.since, removed.path, removed.parent, removed.name, removed.hash,
      removed.size, removed.crc32, removed.is_dir, removed.created_at, removed.updated_at,
      removed.hash IS NOT DISTINCT FROM added.hash
    FROM removed JOIN added USING (id)
    WHERE removed.user_id = owner AND removed.since <> made
      AND (removed.path, removed.hash) IS DISTINCT FROM (added.path, added.hash);
    GET DIAGNOSTICS kept = ROW_COUNT;
    PERFORM count_kept(owner, made, kept * history_row_bytes());
    IF replaces THEN
      SELECT sum(removed.size) INTO bytes FROM removed JOIN added USING (id)
      WHERE removed.user_id = owner AND removed.since <> made AND removed.hash <> added.hash;
      PERFORM count_kept(owner, made, bytes);
      IF EXISTS (SELECT FROM removed WHERE user_id = owner AND since = made) THEN
        WITH dropped AS (
          UPDATE fresh_history SET is_moved = FALSE FROM removed JOIN added USING (id)
          WHERE fresh_history.user_id = owner AND fresh_history.until = made AND fresh_history.id = removed.id
            AND removed.since = made AND is_moved AND removed.hash <> added.hash
          RETURNING removed.size
        ) SELECT sum(size) INTO bytes FROM dropped;
        PERFORM count_kept(owner, made, bytes);
      END IF;
    END IF;
    IF EXISTS (SELECT FROM added WHERE user_id = owner AND since <> made) THEN
      UPDATE records SET since = made WHERE id = ANY (ARRAY(
        SELECT id FROM removed JOIN added USING (id)
        WHERE removed.user_id = owner AND added.since <> made
          AND (removed.path, removed.hash) IS DISTINCT FROM (added.path, added.hash)
      ));
    END IF;
  END LOOP;
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
    SELECT user_id, sum(history_row_bytes() + CASE WHEN is_moved THEN 0 ELSE size END) AS bytes
    FROM fresh_history
    WHERE until = -number
      AND user_id IN (SELECT user_id FROM large_changes AS held WHERE held.change = number)
    GROUP BY user_id
  ) AS kept WHERE tree_versions.user_id = kept.user_id;
END $$;
