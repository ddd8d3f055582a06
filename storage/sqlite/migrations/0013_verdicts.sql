-- Results with their verdicts. Those of earlier versions of the program are made anew.
DROP TABLE scan_results;
CREATE TABLE scan_results (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  version TEXT NOT NULL, -- of the scanners, and the limits that they had
  sha256 BLOB CHECK (length(sha256) = 32), -- of the content that was scanned; without it, no verdict
  verdict TEXT NOT NULL CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive')),
  findings TEXT NOT NULL, -- the worst three, a JSON array
  scanned_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  result TEXT NOT NULL, -- JSON; last, as it is large
  PRIMARY KEY (hash, name, skip)
) STRICT, WITHOUT ROWID;

-- Content whose scan failed since the server started.
CREATE TABLE scan_failures (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  name TEXT NOT NULL,
  problem TEXT NOT NULL, -- for people
  failed_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  PRIMARY KEY (hash, name)
) STRICT, WITHOUT ROWID;

-- Content that the gate lets through whatever its verdict is.
CREATE TABLE waivers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  reason TEXT NOT NULL CHECK (reason <> ''),
  user_id INTEGER NOT NULL, -- who gave it
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  expires_at INTEGER -- milliseconds since the Unix epoch; NULL for never
) STRICT;
CREATE INDEX waivers_by_content ON waivers (sha256);
