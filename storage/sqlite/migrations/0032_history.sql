-- The versions of trees, and records as they were in those before the present one. See docs/design/history.md.
ALTER TABLE records ADD COLUMN since INTEGER NOT NULL DEFAULT 0; -- the version that made it as it is
ALTER TABLE former_records ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
-- The version that the change makes of the tree; 0 without history.
ALTER TABLE large_change ADD COLUMN version INTEGER NOT NULL DEFAULT 0;

ALTER TABLE storage_state ADD COLUMN keeps_history INTEGER NOT NULL DEFAULT 0;

-- A tree that has changed while history is kept.
CREATE TABLE tree_versions (
  user_id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL, -- the present one
  oldest INTEGER NOT NULL, -- the first that can be read; greater than the present one while nothing is kept
  history_bytes INTEGER NOT NULL DEFAULT 0 -- the sizes of the files that were deleted or replaced
) STRICT;

-- When each version was made.
CREATE TABLE tree_changes (
  user_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  made_at INTEGER NOT NULL, -- milliseconds since the Unix epoch; never earlier than the version before
  change INTEGER, -- the number of a large change, in other engines
  PRIMARY KEY (user_id, version)
) STRICT, WITHOUT ROWID;

-- A record as it was from one version up to, but not including, another one.
CREATE TABLE history (
  user_id INTEGER NOT NULL,
  until INTEGER NOT NULL,
  id INTEGER NOT NULL, -- of the record
  since INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- 1 if the record has the same content from "until" on, so that this row need not refer to it.
  is_moved INTEGER NOT NULL,
  CHECK (since < until),
  -- In the order in which history is given up.
  PRIMARY KEY (user_id, until, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_by_path ON history (user_id, path, until);
CREATE INDEX history_by_parent ON history (user_id, parent, until);
CREATE INDEX history_by_hash ON history (hash, user_id) WHERE hash <> '' AND is_moved = 0;

-- Rows of history as changes write them, in little time as there is no index. They get into order later.
CREATE TABLE fresh_history (
  position INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  until INTEGER NOT NULL,
  id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  is_moved INTEGER NOT NULL,
  CHECK (since < until)
) STRICT;
CREATE TRIGGER history_in_order AFTER DELETE ON fresh_history BEGIN
  INSERT INTO history VALUES (
    OLD.user_id, OLD.until, OLD.id, OLD.since, OLD.path, OLD.parent, OLD.name, OLD.hash, OLD.size, OLD.crc32,
    OLD.is_dir, OLD.created_at, OLD.updated_at, OLD.is_moved
  );
END;

-- All rows of history, whether they are in order or not.
CREATE VIEW former_states AS
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM history
UNION ALL
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM fresh_history;

-- The files that no record has any more.
CREATE VIEW kept_files AS
SELECT id, user_id, path, hash, size, crc32 FROM history WHERE is_moved = 0;
CREATE VIEW fresh_files AS
SELECT id, user_id, path, hash, size, crc32 FROM fresh_history WHERE is_moved = 0;
