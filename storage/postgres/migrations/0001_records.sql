-- What is known of content, once for each content. Small content itself is here as well.
CREATE TABLE contents (
  hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 32),
  size bigint NOT NULL CHECK (size >= 0),
  crc32 bigint NOT NULL CHECK (crc32 >= 0),
  sha256 bytea CHECK (length(sha256) = 32), -- NULL until the content has been read through
  created_at bigint NOT NULL, -- when it was first stored, in milliseconds since the Unix epoch
  bytes bytea CHECK (length(bytes) = size), -- NULL for content outside of the database
  object text COLLATE "C" -- the name of the object that has it; NULL without an object store
);
-- Compressing content that is compressed already costs time, and saves nothing.
ALTER TABLE contents ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX contents_by_sha256 ON contents (sha256, hash);
CREATE INDEX contents_without_sha256 ON contents (hash) WHERE sha256 IS NULL;

-- An index entry takes up to 2704 bytes, but a path may have 4096. So indexes have the first 600 characters,
-- in which nearly all paths fit, and this of the others.
CREATE FUNCTION path_rest(path text) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql AS
  $$ SELECT CASE WHEN length(path) > 600 THEN sha256(convert_to(path, 'UTF8')) ELSE ''::bytea END $$;

-- The schema enforces the invariants of C 5 that SQL can express: no code can commit a record without
-- its ancestors or its content, two records at one path, or a directory with content.
CREATE TABLE records (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL CHECK (user_id > 0),
  path text COLLATE "C" NOT NULL,
  parent text COLLATE "C", -- the path without its last segment; NULL directly under the root
  name text COLLATE "C" NOT NULL, -- the last segment of the path
  hash text COLLATE "C" REFERENCES contents (hash), -- NULL for a directory
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  is_dir boolean NOT NULL,
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch
  updated_at bigint NOT NULL, -- milliseconds since the Unix epoch
  CHECK (path = coalesce(parent || '/', '') || name AND name <> '' AND strpos(name, '/') = 0),
  CHECK (
    CASE WHEN is_dir THEN hash IS NULL AND size = 0 AND crc32 = 0
    ELSE hash IS NOT NULL AND size >= 0 AND crc32 >= 0 END
  )
);
-- In path order, but for paths with the same first 600 characters.
CREATE UNIQUE INDEX records_by_owner ON records (user_id, left(path, 600), path_rest(path));
-- For direct children of one directory, in path order.
CREATE INDEX records_by_parent ON records (left(parent, 550), user_id, name);
-- For lookups by administrators.
CREATE INDEX records_by_path ON records (left(path, 600));
CREATE INDEX records_by_hash ON records (hash, user_id) WHERE hash IS NOT NULL;

-- Checks at the commit that the parent of a record is there, and that no record is left without its own. A
-- foreign key would need an index of whole paths. Writers of a tree run one after the other, so none needs
-- to be locked.
CREATE FUNCTION check_parent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.parent IS NOT NULL
    AND EXISTS (SELECT FROM records WHERE id = NEW.id AND parent = NEW.parent)
    AND NOT EXISTS (
      SELECT FROM records
      WHERE user_id = NEW.user_id AND left(path, 600) = left(NEW.parent, 600) AND path = NEW.parent
    )
  THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'records_parent',
      MESSAGE = 'a record has no parent directory';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER records_parent AFTER INSERT OR UPDATE OF user_id, parent ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_parent();

CREATE FUNCTION check_children() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
      SELECT FROM records
      WHERE left(parent, 550) = left(OLD.path, 550) AND user_id = OLD.user_id AND parent = OLD.path
    )
    AND NOT EXISTS (
      SELECT FROM records
      WHERE user_id = OLD.user_id AND left(path, 600) = left(OLD.path, 600) AND path = OLD.path
    )
  THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'records_parent',
      MESSAGE = 'records have lost their parent directory';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER records_children_of_deleted AFTER DELETE ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_dir) EXECUTE FUNCTION check_children();
CREATE CONSTRAINT TRIGGER records_children_of_moved AFTER UPDATE OF user_id, path ON records
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.is_dir) EXECUTE FUNCTION check_children();

-- What each tree holds, so that a quota needs no count of its records. Triggers keep it right whatever
-- statement changes the records.
CREATE TABLE usage (
  user_id bigint PRIMARY KEY,
  records bigint NOT NULL, -- files and directories
  files bigint NOT NULL,
  bytes bigint NOT NULL -- the sizes of all files; content that several share counts for each
);

CREATE FUNCTION add_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage AS held (user_id, records, files, bytes)
  SELECT user_id, count(*), count(hash), sum(size) FROM changed GROUP BY user_id ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET records = held.records + excluded.records,
    files = held.files + excluded.files, bytes = held.bytes + excluded.bytes;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_of_added AFTER INSERT ON records REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION add_usage();

CREATE FUNCTION subtract_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usage SET records = usage.records - gone.records, files = usage.files - gone.files,
    bytes = usage.bytes - gone.bytes
  FROM (
    SELECT user_id, count(*) AS records, count(hash) AS files, sum(size) AS bytes
    FROM changed GROUP BY user_id
  ) AS gone WHERE usage.user_id = gone.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_of_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION subtract_usage();

CREATE FUNCTION change_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usage SET bytes = bytes - OLD.size + NEW.size WHERE user_id = NEW.user_id;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_of_changed AFTER UPDATE OF size ON records
  FOR EACH ROW WHEN (NEW.size <> OLD.size) EXECUTE FUNCTION change_usage();

-- Contents that have lost a record: each row stays until a transaction that has locked the content has seen
-- whether another record has it. So content without a record is found whatever happens to the server that
-- deleted the last one.
CREATE TABLE dropped (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
CREATE INDEX dropped_by_hash ON dropped (hash);

CREATE FUNCTION note_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dropped (hash) SELECT DISTINCT hash FROM changed WHERE hash IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER dropped_of_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted();

CREATE FUNCTION note_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dropped (hash) VALUES (OLD.hash);
  RETURN NULL;
END $$;
CREATE TRIGGER dropped_of_replaced AFTER UPDATE OF hash ON records
  FOR EACH ROW WHEN (OLD.hash <> NEW.hash) EXECUTE FUNCTION note_replaced();

-- Nothing moves a record to another tree, or makes a directory of a file.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE check_violation USING MESSAGE = 'the owner and the kind of a record do not change';
END $$;
CREATE TRIGGER records_keep_kind BEFORE UPDATE OF user_id, is_dir ON records
  FOR EACH ROW WHEN ((NEW.user_id, NEW.is_dir) IS DISTINCT FROM (OLD.user_id, OLD.is_dir))
  EXECUTE FUNCTION refuse_change();

-- How many contents there are, and their bytes, in the database and outside of it, so that metrics need no
-- count. Each change adds a row, as writers would wait for each other at a row that they share. Upkeep sums
-- them up.
CREATE TABLE content_changes (
  is_small boolean NOT NULL,
  contents bigint NOT NULL,
  bytes numeric NOT NULL
);

CREATE FUNCTION count_contents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO content_changes
    SELECT bytes IS NOT NULL, count(*), sum(size) FROM added GROUP BY 1;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO content_changes
    SELECT bytes IS NOT NULL, -count(*), -sum(size) FROM removed GROUP BY 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER content_added AFTER INSERT ON contents REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_contents();
CREATE TRIGGER content_removed AFTER DELETE ON contents REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_contents();
CREATE TRIGGER content_changed AFTER UPDATE ON contents
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_contents();

-- A random id of this run of the engine: a crash empties the table.
CREATE UNLOGGED TABLE engine_run (
  only_row boolean PRIMARY KEY DEFAULT TRUE CHECK (only_row),
  id text NOT NULL
);

-- Files that are being downloaded as an archive: snapshots of what was collected. A crash of the engine
-- empties both tables.
CREATE UNLOGGED TABLE collections (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  files bigint NOT NULL,
  read_at timestamptz NOT NULL DEFAULT now() -- when a page of it was read last
);
CREATE UNLOGGED TABLE collected (
  collection bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  id bigint NOT NULL,
  user_id bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  updated_at bigint NOT NULL,
  checked boolean NOT NULL,
  shared boolean NOT NULL DEFAULT FALSE,
  stored_at bigint,
  packed_size bigint
);
CREATE UNIQUE INDEX collected_by_path ON collected (collection, left(path, 600), path_rest(path));
