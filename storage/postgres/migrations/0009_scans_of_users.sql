-- What scans have found is kept for each user who has the content: others do not see it. A result whose
-- scan took long is reused for others, after as much time.
ALTER TABLE scan_files ADD COLUMN user_id bigint; -- whose file it is
UPDATE scan_files SET user_id = scans.user_id FROM scans WHERE scans.id = scan_id;
ALTER TABLE scan_files ALTER COLUMN user_id SET NOT NULL;

CREATE TEMPORARY TABLE copies ON COMMIT DROP AS
  SELECT hash, user_id, name FROM records WHERE hash IS NOT NULL
  UNION SELECT hash, user_id, name FROM scan_files;

ALTER TABLE scan_results
  ADD COLUMN user_id bigint,
  ADD COLUMN took_ms bigint, -- the time of the scan; NULL if it is not known
  ADD COLUMN read_ms bigint, -- until its progress was reported last
  DROP CONSTRAINT scan_results_pkey;
INSERT INTO scan_results
  (hash, user_id, name, skip, version, sha256, verdict, findings, scanned_at, result)
  SELECT hash, copies.user_id, name, skip, version, sha256, verdict, findings, scanned_at, result
  FROM copies JOIN scan_results USING (hash, name);
DELETE FROM scan_results WHERE user_id IS NULL;
ALTER TABLE scan_results ADD PRIMARY KEY (hash, user_id, name, skip, version);
-- Results that are reused.
CREATE INDEX scan_results_long ON scan_results (hash, name, skip, version) WHERE took_ms >= 1000;

ALTER TABLE scan_attempts ADD COLUMN user_id bigint, DROP CONSTRAINT scan_attempts_pkey;
INSERT INTO scan_attempts (hash, user_id, name, skip, attempts, server)
  SELECT hash, copies.user_id, name, skip, attempts, server
  FROM copies JOIN scan_attempts USING (hash, name);
DELETE FROM scan_attempts WHERE user_id IS NULL;
ALTER TABLE scan_attempts ADD PRIMARY KEY (hash, user_id, name, skip);

DELETE FROM scan_failures;
ALTER TABLE scan_failures ADD COLUMN user_id bigint, DROP CONSTRAINT scan_failures_pkey;
ALTER TABLE scan_failures ADD PRIMARY KEY (hash, user_id, name);
