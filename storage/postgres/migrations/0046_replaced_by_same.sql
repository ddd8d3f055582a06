-- A file that gets the content that it has is as it was in the versions before: its former state is kept as any other.
CREATE OR REPLACE FUNCTION keep_changed() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET enable_hashjoin = on AS $$
DECLARE
  owner bigint;
  made bigint;
  bytes numeric;
  kept bigint;
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN RETURN NULL; END IF;
  -- A change of whole subtrees gives each record another path and its version, and leaves its content alone.
  IF current_setting('strongroom.planned', true) = 'on' THEN
    FOR owner IN SELECT DISTINCT user_id FROM removed LOOP
      made := version_of(owner);
      CONTINUE WHEN made = 0;
      INSERT INTO fresh_history
      SELECT user_id, made, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, TRUE
      FROM removed WHERE user_id = owner AND since <> made;
      GET DIAGNOSTICS kept = ROW_COUNT;
      PERFORM count_kept(owner, made, kept * history_row_bytes());
    END LOOP;
    RETURN NULL;
  END IF;
  FOR owner IN
    SELECT DISTINCT removed.user_id FROM removed JOIN added USING (id)
    WHERE (removed.path, removed.hash, removed.updated_at) IS DISTINCT FROM (added.path, added.hash, added.updated_at)
  LOOP
    made := version_of(owner);
    CONTINUE WHEN made = 0;
    WITH states AS (
      INSERT INTO fresh_history
      SELECT removed.user_id, made, id, removed.since, removed.path, removed.parent, removed.name, removed.hash,
        removed.size, removed.crc32, removed.is_dir, removed.created_at, removed.updated_at,
        removed.path <> added.path AND removed.hash IS NOT DISTINCT FROM added.hash
      FROM removed JOIN added USING (id)
      WHERE removed.user_id = owner AND removed.since <> made
        AND (removed.path, removed.hash, removed.updated_at) IS DISTINCT FROM (added.path, added.hash, added.updated_at)
      RETURNING history_row_bytes() + CASE WHEN is_moved THEN 0 ELSE size END AS bytes
    ) SELECT sum(states.bytes) INTO bytes FROM states;
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
    IF EXISTS (SELECT FROM added WHERE user_id = owner AND since <> made) THEN
      UPDATE records SET since = made WHERE id = ANY (ARRAY(
        SELECT id FROM removed JOIN added USING (id)
        WHERE removed.user_id = owner AND added.since <> made
          AND (removed.path, removed.hash, removed.updated_at) IS DISTINCT FROM (added.path, added.hash, added.updated_at)
      ));
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
