CREATE TABLE scans (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  paths TEXT NOT NULL, -- what was asked for, a JSON array
  skip TEXT NOT NULL, -- the scanners that are not to run, a JSON array in order
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  started_at INTEGER,
  finished_at INTEGER,
  files_total INTEGER NOT NULL,
  files_scanned INTEGER NOT NULL DEFAULT 0,
  bytes_total INTEGER NOT NULL,
  bytes_scanned INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  info INTEGER NOT NULL DEFAULT 0,
  debug INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  report BLOB -- the report document, once the scan is completed
) STRICT;
CREATE INDEX scans_by_user ON scans (user_id, id);
CREATE INDEX scans_unfinished ON scans (status, id) WHERE status IN ('queued', 'running');

-- The files of an unfinished scan, as they were when it was requested.
CREATE TABLE scan_files (
  scan_id INTEGER NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL, -- the last segment of the path
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  size INTEGER NOT NULL,
  error TEXT, -- why it could not be scanned
  replaced INTEGER NOT NULL DEFAULT 0, -- whether its content has gone and other content come under the hash
  PRIMARY KEY (scan_id, path)
) STRICT, WITHOUT ROWID;

-- Content is scanned once for each of its names, as scanners depend on the name too.
CREATE TABLE scan_results (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  version TEXT NOT NULL, -- of the scanners
  result TEXT NOT NULL, -- JSON
  PRIMARY KEY (hash, name, skip)
) STRICT, WITHOUT ROWID;

CREATE INDEX scan_files_by_hash ON scan_files (hash);
