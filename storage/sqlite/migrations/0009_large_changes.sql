-- A move, copy or delete of many records commits in steps, so that the writes of other users need not
-- wait for its end. While it is unfinished, its owners are listed here, and a start undoes it.
CREATE TABLE large_change (
  user_id INTEGER PRIMARY KEY,
  last_id INTEGER NOT NULL -- the greatest id of a record before the change
) STRICT;

-- The former state of the records that the unfinished change has changed or deleted.
CREATE TABLE former_records (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Their content must be kept.
CREATE INDEX former_records_by_hash ON former_records (hash) WHERE hash <> '';
