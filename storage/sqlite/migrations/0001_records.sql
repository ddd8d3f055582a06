-- The schema enforces the invariants of C 5 that SQL can express: no code can commit a record without
-- its ancestors, two records at one path, or a directory with content.
CREATE TABLE records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  path TEXT NOT NULL CHECK (path <> ''),
  -- The path without its last segment; NULL directly under the root.
  parent TEXT GENERATED ALWAYS AS (
    nullif(rtrim(rtrim(path, replace(path, '/', '')), '/'), '')
  ) VIRTUAL,
  name TEXT GENERATED ALWAYS AS (
    substr(path, 1 + length(rtrim(path, replace(path, '/', ''))))
  ) VIRTUAL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  updated_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  UNIQUE (user_id, path),
  FOREIGN KEY (user_id, parent) REFERENCES records (user_id, path) DEFERRABLE INITIALLY DEFERRED,
  CHECK (
    CASE is_dir
      WHEN 1 THEN hash = '' AND size = 0 AND crc32 = 0
      WHEN 0 THEN length(hash) = 32 AND size >= 0 AND crc32 >= 0
      ELSE FALSE
    END
  )
) STRICT;

-- For direct children, in path order.
CREATE INDEX records_by_parent ON records (parent, user_id, path);
-- For lookups by administrators.
CREATE INDEX records_by_path ON records (path);
CREATE INDEX records_by_hash ON records (hash) WHERE hash <> '';
