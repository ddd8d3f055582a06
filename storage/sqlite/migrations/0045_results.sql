-- The format of the content, which rules of the policy ask for, and the version of the facts that came with a result.
DROP INDEX scan_results_long;
DROP INDEX scan_results_by_time;
ALTER TABLE scan_results RENAME TO former_results;
CREATE TABLE scan_results (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  version TEXT NOT NULL, -- of the scanners, and the limits that they had
  sha256 BLOB CHECK (length(sha256) = 32), -- of the content that was scanned; without it, no verdict
  verdict TEXT NOT NULL
    CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive', 'unknown')),
  format TEXT, -- the first scanner that reads it; NULL in results of former versions
  findings TEXT NOT NULL, -- the worst three, a JSON array
  scanned_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  took_ms INTEGER, -- the time of the scan; NULL if it is not known
  facts_version INTEGER NOT NULL DEFAULT 0, -- of the facts that came with it; 0 for none
  read_ms INTEGER, -- until its progress was reported last
  result TEXT NOT NULL, -- JSON; last, as it is large
  PRIMARY KEY (hash, user_id, name, skip)
) STRICT, WITHOUT ROWID;
INSERT INTO scan_results
  SELECT hash, user_id, name, skip, version, sha256, verdict, NULL, findings, scanned_at, took_ms, 0,
    read_ms, result
  FROM former_results;
DROP TABLE former_results;
CREATE INDEX scan_results_long ON scan_results (hash, name, skip, version) WHERE took_ms >= 1000;
CREATE INDEX scan_results_by_time ON scan_results (user_id, scanned_at, verdict, skip);
