-- What triggers do for each record of a large change takes less time. See docs/design/postgres.md.

-- A pattern takes as long as all that a record's triggers do besides.
CREATE OR REPLACE FUNCTION repository_of(path text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT CASE WHEN path LIKE 'models/%' OR path LIKE 'datasets/%' THEN
    split_part(left(path, 250), '/', 1) || '/' || split_part(left(path, 250), '/', 2) || '/' ||
      nullif(split_part(left(path, 250), '/', 3), '')
  END
$$;

-- Records that a large change has changed: they get marks of their own later, some at a time. So the change adds
-- a row for hundreds of them, and whoever looks for marks meanwhile does not pass all of its rows.
CREATE TABLE search_batches (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  ids bigint[] NOT NULL -- of the records, which may be gone
);
CREATE INDEX search_batches_by_user ON search_batches (user_id);

-- Whether the current change marks many at once. Servers of the former release do not know of it.
CREATE FUNCTION marks_batches() RETURNS boolean STABLE LANGUAGE sql AS $$
  SELECT current_setting('strongroom.large', true) = 'on' AND (SELECT max(version) >= 43 FROM schema_version)
$$;

CREATE OR REPLACE FUNCTION mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF marks_batches() THEN
    INSERT INTO search_batches (user_id, ids)
    SELECT user_id, array_agg(id)
    FROM (SELECT user_id, id, row_number() OVER () / 500 AS batch FROM changed) AS numbered
    GROUP BY user_id, batch;
    INSERT INTO search_marks (user_id, id, parent)
    SELECT user_id, id, parent FROM changed
    WHERE name = 'model_index.json' OR EXISTS (
      SELECT FROM facts WHERE facts.hash = changed.hash AND facts.user_id = changed.user_id
        AND facts.name = changed.name
    );
    RETURN NULL;
  END IF;
  INSERT INTO search_marks (user_id, id, parent)
  SELECT user_id, id, CASE WHEN name = 'model_index.json' OR EXISTS (
    SELECT FROM facts WHERE facts.hash = changed.hash AND facts.user_id = changed.user_id
      AND facts.name = changed.name
  ) THEN parent END
  FROM changed;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION mark_updated() RETURNS trigger LANGUAGE plpgsql
-- The plan for one record is kept, and must not be quadratic for ten thousand.
SET enable_nestloop = off SET enable_hashjoin = on AS $$
BEGIN
  IF marks_batches() THEN
    INSERT INTO search_batches (user_id, ids)
    SELECT user_id, array_agg(id)
    FROM (SELECT user_id, id, row_number() OVER () / 500 AS batch FROM changed) AS numbered
    GROUP BY user_id, batch;
    INSERT INTO search_marks (user_id, id, parent)
    SELECT user_id, id, parent FROM (
      SELECT user_id, id, parent, hash, name FROM former
      UNION ALL SELECT user_id, id, parent, hash, name FROM changed
    ) AS state
    WHERE name = 'model_index.json' OR EXISTS (
      SELECT FROM facts WHERE facts.hash = state.hash AND facts.user_id = state.user_id AND facts.name = state.name
    )
    UNION ALL
    SELECT user_id, id, path FROM changed
    WHERE is_dir AND EXISTS (SELECT FROM directory_facts WHERE directory_facts.id = changed.id);
    RETURN NULL;
  END IF;
  INSERT INTO search_marks (user_id, id, parent)
  SELECT user_id, id, parent FROM (
    SELECT state.user_id, state.id, state.is_former, CASE WHEN state.name = 'model_index.json' OR EXISTS (
      SELECT FROM facts WHERE facts.hash = state.hash AND facts.user_id = state.user_id AND facts.name = state.name
    ) THEN state.parent WHEN state.directory IS NOT NULL AND EXISTS (
      SELECT FROM directory_facts WHERE directory_facts.id = state.id
    ) THEN state.directory END AS parent
    FROM changed JOIN former USING (id), LATERAL (VALUES
      (former.user_id, id, former.parent, former.hash, former.name, NULL, TRUE),
      -- What has changed in a directory before is marked with its former path.
      (changed.user_id, id, changed.parent, changed.hash, changed.name,
        CASE WHEN changed.is_dir THEN changed.path END, FALSE)
    ) AS state (user_id, id, parent, hash, name, directory, is_former)
    WHERE (changed.user_id, changed.path, changed.hash) IS DISTINCT FROM (former.user_id, former.path, former.hash)
  ) AS marked
  -- One mark of a record is enough for its own document.
  WHERE parent IS NOT NULL OR NOT is_former;
  RETURN NULL;
END $$;

-- Documents that are made together have most terms in common. A list of what is to be added takes a quarter of the time
-- of adding them one by one; it is short, as each search reads it.
ALTER INDEX search_documents_by_term SET (fastupdate = on, gin_pending_list_limit = 128);

-- Content that history keeps has not lost its last reference: it is noted when history gives it up.
DROP TRIGGER dropped_of_deleted ON records;
CREATE OR REPLACE FUNCTION keep_deleted() RETURNS trigger LANGUAGE plpgsql
-- The plan for one record is kept, and must not be quadratic for ten thousand. Changes of whole subtrees have turned
-- off all others.
SET enable_nestloop = off SET enable_hashjoin = on AS $$
DECLARE
  owner bigint;
  made bigint;
  bytes numeric;
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN
    INSERT INTO dropped (hash) SELECT DISTINCT hash FROM removed WHERE hash IS NOT NULL;
    RETURN NULL;
  END IF;
  FOR owner IN SELECT DISTINCT user_id FROM removed LOOP
    made := version_of(owner);
    IF made <> 0 THEN
      INSERT INTO fresh_history
      SELECT user_id, made, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, FALSE
      FROM removed WHERE user_id = owner AND since <> made;
      SELECT sum(size + history_row_bytes()) INTO bytes FROM removed WHERE user_id = owner AND since <> made;
      PERFORM count_kept(owner, made, bytes);
    END IF;
    CONTINUE WHEN made <> 0 AND NOT EXISTS (SELECT FROM removed WHERE user_id = owner AND since = made);
    INSERT INTO dropped (hash)
    SELECT DISTINCT hash FROM removed
    WHERE user_id = owner AND hash IS NOT NULL AND (made = 0 OR since = made);
    CONTINUE WHEN made = 0;
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

-- The bytes that a large change keeps: they are counted at its end, while others wait. No row outlives its
-- transaction.
CREATE UNLOGGED TABLE late_kept (
  user_id bigint NOT NULL,
  bytes numeric NOT NULL
);

CREATE OR REPLACE FUNCTION count_kept(owner bigint, made bigint, bytes numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF bytes > 0 AND made > 0 THEN
    UPDATE tree_versions SET history_bytes = history_bytes + bytes WHERE user_id = owner;
  ELSIF bytes > 0 AND made < 0 THEN
    INSERT INTO late_kept VALUES (owner, bytes);
  END IF;
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
    SELECT user_id, sum(bytes) AS bytes FROM late_kept GROUP BY user_id
  ) AS kept WHERE tree_versions.user_id = kept.user_id;
  DELETE FROM late_kept;
END $$;

-- Content that has lost a record is looked for here, too, however many rows a large change has added.
CREATE INDEX fresh_by_hash ON fresh_history (hash, user_id) WHERE hash IS NOT NULL AND NOT is_moved;
