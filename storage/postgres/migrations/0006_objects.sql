CREATE UNIQUE INDEX contents_by_object ON contents (object) WHERE object IS NOT NULL;

-- Objects of a content store that are no content: what is being received or waits for a commit, and what is
-- to be deleted. An object has a row from before its first byte is sent, here or in another table. Its name
-- is never used again.
CREATE TABLE objects (
  key text COLLATE "C" PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('arriving', 'leaving')),
  waiting text COLLATE "C", -- the id of what waits for a commit in an arriving object
  due_at bigint, -- when a leaving object is to be deleted, in milliseconds since the Unix epoch
  deletions integer NOT NULL DEFAULT 0, -- how often it was deleted: a late upload may bring it back once
  server text COLLATE "C" DEFAULT current_setting('strongroom.server', true) -- who sends it
);
CREATE UNIQUE INDEX objects_waiting ON objects (waiting) WHERE waiting IS NOT NULL;
CREATE INDEX objects_arriving ON objects (key) WHERE state = 'arriving';
CREATE INDEX objects_due ON objects (due_at) WHERE state = 'leaving';

-- Small content that waits for a commit, with the id of its row in lfs_objects, which it has before that.
CREATE TABLE parked_contents (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) = 32),
  bytes bytea NOT NULL,
  server text COLLATE "C" DEFAULT current_setting('strongroom.server', true) -- who received it
);

-- What has come of uploads that can be resumed, in order. With a content store, large parts are objects.
ALTER TABLE uploads ADD COLUMN turn bigint NOT NULL DEFAULT 0; -- which request may change the upload
CREATE TABLE upload_parts (
  upload text COLLATE "C" NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  position bigint NOT NULL CHECK (position >= 0), -- where it begins in the file
  size bigint NOT NULL CHECK (size > 0), -- how many of its bytes count
  bytes bytea,
  object text COLLATE "C" UNIQUE,
  PRIMARY KEY (upload, position),
  CHECK ((bytes IS NULL) <> (object IS NULL))
);
ALTER TABLE upload_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Whatever removes a part, its object leaves.
CREATE FUNCTION part_leaves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO objects (key, state, due_at)
  VALUES (OLD.object, 'leaving', extract(epoch FROM clock_timestamp()) * 1000);
  RETURN NULL;
END $$;
CREATE TRIGGER upload_parts_leave AFTER DELETE ON upload_parts
  FOR EACH ROW WHEN (OLD.object IS NOT NULL) EXECUTE FUNCTION part_leaves();

CREATE FUNCTION drop_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM upload_parts WHERE upload = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_drop_parts AFTER UPDATE OF completed_at ON uploads
  FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION drop_parts();

-- Content that no record had, kept for some days in case that a record has it again. Content in files is in
-- the directory quarantine/.
CREATE TABLE quarantine (
  hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 32),
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  sha256 bytea,
  created_at bigint NOT NULL,
  bytes bytea,
  object text COLLATE "C",
  taken_at bigint NOT NULL -- milliseconds since the Unix epoch
);
CREATE INDEX quarantine_by_age ON quarantine (taken_at);
