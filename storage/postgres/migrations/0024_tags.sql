-- Names of files and directories as they were, which keep their content. See docs/design/past.md.
CREATE TABLE tags (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL, -- whose tree it is
  name text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL, -- '' for the whole tree
  version bigint NOT NULL, -- the one that the tree had; 0 without history
  message text,
  created_by bigint NOT NULL,
  created_at bigint NOT NULL,
  files bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  UNIQUE (user_id, name)
);

-- What a tag names: records as they were, and the directories above.
CREATE TABLE tagged_records (
  tag bigint NOT NULL REFERENCES tags (id),
  id bigint NOT NULL, -- of the record
  user_id bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  parent text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  hash text COLLATE "C" REFERENCES contents (hash), -- NULL for a directory
  size bigint NOT NULL,
  crc32 bigint NOT NULL,
  is_dir boolean NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX tagged_by_path ON tagged_records (tag, left(path, 600));
CREATE INDEX tagged_by_hash ON tagged_records (hash, user_id) WHERE hash IS NOT NULL;
CREATE TRIGGER dropped_of_tagged AFTER DELETE ON tagged_records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted();
