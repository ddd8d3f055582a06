-- Names of files and directories as they were, which keep their content. See docs/design/past.md.
CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL, -- whose tree it is
  name TEXT NOT NULL,
  path TEXT NOT NULL, -- '' for the whole tree
  version INTEGER NOT NULL, -- the one that the tree had; 0 without history
  message TEXT,
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  files INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  UNIQUE (user_id, name)
) STRICT;

-- What a tag names: records as they were, and the directories above.
CREATE TABLE tagged_records (
  tag INTEGER NOT NULL REFERENCES tags (id),
  id INTEGER NOT NULL, -- of the record
  user_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tag, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX tagged_by_hash ON tagged_records (hash, user_id) WHERE hash <> '';
