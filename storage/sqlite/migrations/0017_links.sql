-- URLs that serve one file or directory without a credential.
CREATE TABLE links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32), -- the token itself is not kept
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree it is in
  record_id INTEGER NOT NULL, -- of the file or directory, which may be gone
  path TEXT NOT NULL CHECK (path <> ''), -- of that record, when the link was made
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  once INTEGER NOT NULL CHECK (once IN (0, 1)), -- whether it serves one download only
  used_at INTEGER CHECK (used_at IS NULL OR once) -- when that began
) STRICT;
CREATE INDEX links_by_maker ON links (created_by, expires_at);
CREATE INDEX links_by_tree ON links (user_id, id);
CREATE INDEX links_by_expiry ON links (expires_at);
