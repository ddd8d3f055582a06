-- The versions of trees, and records as they were in those before the present one. See docs/design/history.md.
-- A version is a number from 1, or, for what a large change has made, the negative number of that change: which
-- version that is shows at its end only.
ALTER TABLE records ADD COLUMN since bigint NOT NULL DEFAULT 0; -- the version that made it as it is
ALTER TABLE storage_state ADD COLUMN keeps_history boolean NOT NULL DEFAULT FALSE;

-- A tree that has changed while history is kept.
CREATE TABLE tree_versions (
  user_id bigint PRIMARY KEY,
  version bigint NOT NULL, -- the present one
  oldest bigint NOT NULL, -- the first that can be read; greater than the present one while nothing is kept
  history_bytes bigint NOT NULL DEFAULT 0 -- the sizes of the files that were deleted or replaced
);

-- When each version was made.
CREATE TABLE tree_changes (
  user_id bigint NOT NULL,
  version bigint NOT NULL,
  made_at bigint NOT NULL, -- milliseconds since the Unix epoch; never earlier than the version before
  change bigint, -- the number of the large change that has made it
  PRIMARY KEY (user_id, version)
);
CREATE UNIQUE INDEX tree_changes_large ON tree_changes (user_id, change) WHERE change IS NOT NULL;

-- A record as it was from one version up to, but not including, another one.
CREATE TABLE history (
  user_id bigint NOT NULL,
  until bigint NOT NULL,
  id bigint NOT NULL, -- of the record
  since bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  parent text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  hash text COLLATE "C",
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  is_dir boolean NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  -- Whether the record has the same content from "until" on, so that this row need not refer to it.
  is_moved boolean NOT NULL,
  PRIMARY KEY (user_id, until, id)
);
CREATE INDEX history_by_path ON history (user_id, left(path, 600));
CREATE INDEX history_by_parent ON history (user_id, left(parent, 550), name);
CREATE INDEX history_by_hash ON history (hash, user_id) WHERE hash IS NOT NULL AND NOT is_moved;
CREATE TRIGGER dropped_of_history AFTER DELETE ON history REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted();

-- Rows of history as changes write them, in little time as there is hardly an index. They get into order later.
CREATE TABLE fresh_history (
  LIKE history,
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY
);
CREATE FUNCTION put_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO history
  SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
  FROM settled;
  RETURN NULL;
END $$;
CREATE TRIGGER history_in_order AFTER DELETE ON fresh_history REFERENCING OLD TABLE AS settled
  FOR EACH STATEMENT EXECUTE FUNCTION put_in_order();

-- All rows of history, whether they are in order or not.
CREATE VIEW former_states AS
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM history
UNION ALL
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM fresh_history;

-- The files that no record has any more.
CREATE VIEW kept_files AS
SELECT id, user_id, path, hash, size, crc32 FROM history WHERE NOT is_moved;
CREATE VIEW fresh_files AS
SELECT id, user_id, path, hash, size, crc32 FROM fresh_history WHERE NOT is_moved;

-- Raises the version of a tree, under its lock.
CREATE FUNCTION raise_version(owner bigint, large bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  made bigint;
BEGIN
  INSERT INTO tree_versions AS held (user_id, version, oldest) VALUES (owner, 1, 0)
  ON CONFLICT (user_id) DO UPDATE SET version = held.version + 1 RETURNING version INTO made;
  INSERT INTO tree_changes (user_id, version, made_at, change)
  VALUES (owner, made, greatest(
    trunc(extract(epoch FROM clock_timestamp()) * 1000),
    (SELECT made_at FROM tree_changes WHERE user_id = owner ORDER BY version DESC LIMIT 1)
  ), large);
  RETURN made;
END $$;

-- The version that the current transaction makes of a tree, which what it adds or changes is of; 0 without
-- history. A setting of the transaction has the versions that it has made.
CREATE FUNCTION version_of(owner bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  made text;
  known text := coalesce(current_setting('strongroom.versions', true), '');
BEGIN
  made := (regexp_match(known, ',' || owner || '=(-?\d+)'))[1];
  IF made IS NOT NULL THEN RETURN made; END IF;
  IF NOT (SELECT keeps_history FROM storage_state) THEN
    made := 0;
  ELSIF current_setting('strongroom.large', true) = 'on' THEN
    made := -current_setting('strongroom.change')::bigint;
  ELSE
    made := raise_version(owner, NULL);
  END IF;
  PERFORM set_config('strongroom.versions', known || ',' || owner || '=' || made, true);
  RETURN made;
END $$;

-- Counts the sizes of files that are kept. Those of a large change are counted at its end.
CREATE FUNCTION count_kept(owner bigint, made bigint, bytes numeric) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF made > 0 AND bytes > 0 THEN
    UPDATE tree_versions SET history_bytes = history_bytes + bytes WHERE user_id = owner;
  END IF;
END $$;

-- Keeps records that are deleted. What the same change has made is nobody's past, but what it has moved before
-- refers to its content itself.
CREATE FUNCTION keep_deleted() RETURNS trigger LANGUAGE plpgsql
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
    SELECT sum(size) INTO bytes FROM removed WHERE user_id = owner AND since <> made;
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
CREATE TRIGGER history_of_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_deleted();

-- Keeps records that get another path or content. A server of a version before does not state the version of
-- what it changes: that is done here.
CREATE FUNCTION keep_changed() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET enable_hashjoin = on AS $$
DECLARE
  owner bigint;
  made bigint;
  bytes numeric;
  replaces boolean;
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
CREATE TRIGGER history_of_changed AFTER UPDATE ON records REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION keep_changed();

CREATE FUNCTION set_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (SELECT keeps_history FROM storage_state) THEN RETURN NULL; END IF;
  IF NOT EXISTS (SELECT FROM added WHERE since = 0) THEN RETURN NULL; END IF;
  UPDATE records SET since = version_of(added.user_id) FROM added
  WHERE records.id = added.id AND added.since = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER history_of_added AFTER INSERT ON records REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION set_since();

-- Says which version a large change has made of each of its trees, under their locks.
CREATE FUNCTION end_version() RETURNS void LANGUAGE plpgsql AS $$
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
  UPDATE tree_versions SET history_bytes = history_bytes + kept.bytes FROM (
    SELECT user_id, sum(size) AS bytes FROM fresh_history
    WHERE until = -number AND NOT is_moved
      AND user_id IN (SELECT user_id FROM large_changes AS held WHERE held.change = number)
    GROUP BY user_id
  ) AS kept WHERE tree_versions.user_id = kept.user_id;
END $$;
