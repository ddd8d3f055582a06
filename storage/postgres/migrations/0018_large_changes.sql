-- The subtrees that large changes are about to change: until such a change has ended, others leave them alone,
-- and change the rest of the tree at the same time. See docs/design/postgres.md.
CREATE SEQUENCE large_change;
CREATE TABLE large_changes (
  change bigint NOT NULL,
  user_id bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  -- A while after this, the change holds the lock of its number, or has ended.
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What a large change has added to rows that all changes of a tree update: it does so itself at its end, as
-- others would wait. No row outlives its transaction.
CREATE UNLOGGED TABLE late_counts (
  user_id bigint NOT NULL,
  records bigint NOT NULL,
  files bigint NOT NULL,
  bytes numeric NOT NULL
);
CREATE UNLOGGED TABLE late_repositories (
  user_id bigint NOT NULL,
  directory text COLLATE "C" NOT NULL
);

-- Refuses paths that a large change has at, above or below them. The condition of a failed serialization is
-- known to servers of earlier versions.
CREATE FUNCTION require_free(owner bigint, paths text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  busy bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM large_changes) THEN RETURN; END IF;
  SELECT change INTO busy FROM large_changes AS held, unnest(paths) AS asked
  WHERE held.user_id = owner AND (
    asked = held.path OR starts_with(asked, held.path || '/') OR starts_with(held.path, asked || '/')
  ) LIMIT 1;
  IF busy IS NOT NULL THEN
    RAISE serialization_failure USING CONSTRAINT = 'large_changes', DETAIL = busy::text,
      MESSAGE = 'a large change of these records is going on';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION add_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('strongroom.large', true) = 'on' THEN
    INSERT INTO late_counts
    SELECT user_id, count(*), count(hash), sum(size) FROM changed GROUP BY user_id;
    RETURN NULL;
  END IF;
  INSERT INTO usage AS held (user_id, records, files, bytes)
  SELECT user_id, count(*), count(hash), sum(size) FROM changed GROUP BY user_id ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET records = held.records + excluded.records,
    files = held.files + excluded.files, bytes = held.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION subtract_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('strongroom.large', true) = 'on' THEN
    INSERT INTO late_counts
    SELECT user_id, -count(*), -count(hash), -sum(size) FROM changed GROUP BY user_id;
    RETURN NULL;
  END IF;
  UPDATE usage SET records = usage.records - gone.records, files = usage.files - gone.files,
    bytes = usage.bytes - gone.bytes
  FROM (
    SELECT user_id, count(*) AS records, count(hash) AS files, sum(size) AS bytes
    FROM changed GROUP BY user_id
  ) AS gone WHERE usage.user_id = gone.user_id;
  RETURN NULL;
END $$;

CREATE FUNCTION raise_versions(owners bigint[], directories text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('strongroom.large', true) = 'on' THEN
    INSERT INTO late_repositories SELECT * FROM unnest(owners, directories);
    RETURN;
  END IF;
  INSERT INTO repository_versions (user_id, directory)
  SELECT DISTINCT * FROM unnest(owners, directories) AS changed (user_id, directory)
  ORDER BY user_id, directory
  -- The number is taken once the row is locked: it never falls.
  ON CONFLICT (user_id, directory) DO UPDATE SET version = nextval('repository_version');
END $$;

CREATE OR REPLACE FUNCTION raise_repositories() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  owners bigint[];
  directories text[];
  is_busy boolean := current_setting('strongroom.large', true) IS DISTINCT FROM 'on'
    AND EXISTS (SELECT FROM large_changes);
BEGIN
  IF TG_OP <> 'DELETE' THEN
    IF is_busy THEN
      PERFORM require_free(user_id, array_agg(path)) FROM added
      WHERE user_id IN (SELECT user_id FROM large_changes) GROUP BY user_id;
    END IF;
    SELECT array_agg(user_id), array_agg(directory) INTO owners, directories
    FROM (SELECT DISTINCT user_id, repository_of(path) AS directory FROM added) AS changed
    WHERE directory IS NOT NULL;
    IF owners IS NOT NULL THEN PERFORM raise_versions(owners, directories); END IF;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    IF is_busy THEN
      PERFORM require_free(user_id, array_agg(path)) FROM removed
      WHERE user_id IN (SELECT user_id FROM large_changes) GROUP BY user_id;
    END IF;
    SELECT array_agg(user_id), array_agg(directory) INTO owners, directories
    FROM (SELECT DISTINCT user_id, repository_of(path) AS directory FROM removed) AS changed
    WHERE directory IS NOT NULL;
    IF owners IS NOT NULL THEN PERFORM raise_versions(owners, directories); END IF;
  END IF;
  RETURN NULL;
END $$;

-- Brings late counts up, under the lock of the tree.
CREATE FUNCTION bring_up() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS held (user_id, records, files, bytes)
  SELECT user_id, sum(records), sum(files), sum(bytes) FROM late_counts
  GROUP BY user_id ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET records = held.records + excluded.records,
    files = held.files + excluded.files, bytes = held.bytes + excluded.bytes;
  DELETE FROM late_counts;
  INSERT INTO repository_versions (user_id, directory)
  SELECT DISTINCT user_id, directory FROM late_repositories ORDER BY user_id, directory
  ON CONFLICT (user_id, directory) DO UPDATE SET version = nextval('repository_version');
  DELETE FROM late_repositories;
END $$;

-- Up to which migration the program of a server knows the schema; NULL of one that does not say so.
ALTER TABLE servers ADD COLUMN schema_version integer;
