-- Write locks of WebDAV (RFC 4918, 6). One that has expired counts for nothing.
CREATE TABLE locks (
  token TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree it is in
  path TEXT NOT NULL, -- '' for the whole tree
  is_deep INTEGER NOT NULL CHECK (is_deep IN (0, 1)), -- whether it holds what is below the path, too
  is_shared INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
  holder INTEGER NOT NULL CHECK (holder > 0), -- the user who has taken it
  owner TEXT NOT NULL, -- XML
  expires_at INTEGER NOT NULL -- milliseconds since the Unix epoch
) STRICT, WITHOUT ROWID;
CREATE INDEX locks_by_tree ON locks (user_id, path);
CREATE INDEX locks_by_expiry ON locks (expires_at);

-- Properties that clients of WebDAV have set. Ids are never used again: what is left of a record that is gone
-- belongs to none, and is removed later.
CREATE TABLE properties (
  record_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  xml TEXT NOT NULL, -- the whole element
  PRIMARY KEY (record_id, namespace, name)
) STRICT, WITHOUT ROWID;
