-- How often the scan of a content began and has not ended: the server died, or it is going on.
CREATE TABLE scan_attempts (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (hash, name, skip)
) STRICT, WITHOUT ROWID;

CREATE INDEX scans_by_end ON scans (finished_at) WHERE finished_at IS NOT NULL;
