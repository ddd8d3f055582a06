-- What scans have found is kept for each user who has the content: others do not see it. A result whose
-- scan took long is reused for others, after as much time.
ALTER TABLE scan_files ADD COLUMN user_id INTEGER NOT NULL DEFAULT 0; -- whose file it is
UPDATE scan_files SET user_id = (SELECT user_id FROM scans WHERE id = scan_id);

CREATE TEMP TABLE copies AS
  SELECT hash, user_id, name FROM records WHERE hash <> ''
  UNION SELECT hash, user_id, name FROM scan_files;

ALTER TABLE scan_results RENAME TO former_results;
CREATE TABLE scan_results (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  version TEXT NOT NULL, -- of the scanners, and the limits that they had
  sha256 BLOB CHECK (length(sha256) = 32), -- of the content that was scanned; without it, no verdict
  verdict TEXT NOT NULL CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive')),
  findings TEXT NOT NULL, -- the worst three, a JSON array
  scanned_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  took_ms INTEGER, -- the time of the scan; NULL if it is not known
  read_ms INTEGER, -- until its progress was reported last
  result TEXT NOT NULL, -- JSON; last, as it is large
  PRIMARY KEY (hash, user_id, name, skip)
) STRICT, WITHOUT ROWID;
INSERT INTO scan_results
  SELECT hash, copies.user_id, name, skip, version, sha256, verdict, findings, scanned_at, NULL, NULL,
    result
  FROM temp.copies JOIN former_results USING (hash, name);
DROP TABLE former_results;
-- Results that are reused.
CREATE INDEX scan_results_long ON scan_results (hash, name, skip, version) WHERE took_ms >= 1000;

ALTER TABLE scan_attempts RENAME TO former_attempts;
-- How often the scan of a content began and has not ended: the server died, or it is going on.
CREATE TABLE scan_attempts (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (hash, user_id, name, skip)
) STRICT, WITHOUT ROWID;
INSERT INTO scan_attempts
  SELECT hash, user_id, name, skip, attempts FROM temp.copies JOIN former_attempts USING (hash, name);
DROP TABLE former_attempts;

-- Content whose scan failed since the server started.
DROP TABLE scan_failures;
CREATE TABLE scan_failures (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  problem TEXT NOT NULL, -- for people
  failed_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  PRIMARY KEY (hash, user_id, name)
) STRICT, WITHOUT ROWID;

DROP TABLE temp.copies;
