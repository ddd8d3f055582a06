-- Computing parent and name from a long path in SQL takes milliseconds. Make them plain columns, and
-- keep them consistent with the path by a CHECK.
CREATE TABLE records_2 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  path TEXT NOT NULL,
  parent TEXT, -- the path without its last segment; NULL directly under the root
  name TEXT NOT NULL, -- the last segment of the path
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  updated_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  UNIQUE (user_id, path),
  FOREIGN KEY (user_id, parent) REFERENCES records_2 (user_id, path) DEFERRABLE INITIALLY DEFERRED,
  CHECK (path = ifnull(parent || '/', '') || name AND name <> '' AND instr(name, '/') = 0),
  CHECK (
    CASE is_dir
      WHEN 1 THEN hash = '' AND size = 0 AND crc32 = 0
      WHEN 0 THEN length(hash) = 32 AND size >= 0 AND crc32 >= 0
      ELSE FALSE
    END
  )
) STRICT;

INSERT INTO records_2
SELECT id, user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at
FROM records;
-- Ids are never reused, not even those of deleted records.
DELETE FROM sqlite_sequence WHERE name = 'records_2';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'records_2', seq FROM sqlite_sequence WHERE name = 'records';

DROP TABLE records;
ALTER TABLE records_2 RENAME TO records;

-- For direct children, in path order.
CREATE INDEX records_by_parent ON records (parent, user_id, path);
-- For lookups by administrators.
CREATE INDEX records_by_path ON records (path);
CREATE INDEX records_by_hash ON records (hash) WHERE hash <> '';
