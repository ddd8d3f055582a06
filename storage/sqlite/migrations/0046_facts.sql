-- What content says of itself, for each user who has it under a name; found by scans.
CREATE TABLE facts (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL, -- of the facts: another one is made anew
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32), -- of the content that was scanned
  facts TEXT NOT NULL, -- JSON
  PRIMARY KEY (hash, user_id, name)
) STRICT, WITHOUT ROWID;
