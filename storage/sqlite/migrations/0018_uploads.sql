-- Uploads that can be resumed. What has come of one is in the file of its id in uploads/.
CREATE TABLE uploads (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree the file is for
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  path TEXT NOT NULL CHECK (path <> ''),
  size INTEGER NOT NULL CHECK (size >= 0), -- of the whole file in bytes
  received INTEGER NOT NULL CHECK (received BETWEEN 0 AND size), -- how many of them are synced
  sha256 TEXT CHECK (length(sha256) = 64), -- what the content must have, in hex
  on_conflict TEXT NOT NULL CHECK (on_conflict IN ('error', 'skip', 'replace')),
  metadata TEXT NOT NULL, -- as the client sent it
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  completed_at INTEGER -- when the file became part of the tree
) STRICT, WITHOUT ROWID;
CREATE INDEX unfinished_uploads ON uploads (user_id, size) WHERE completed_at IS NULL;
CREATE INDEX uploads_by_expiry ON uploads (expires_at);
