-- The report document of a scan in chunks, so that it never has to be in memory whole.
CREATE TABLE scan_report_chunks (
  scan_id INTEGER NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  part INTEGER NOT NULL, -- the document is the chunks of part 0, then those of part 1, and so on
  position INTEGER NOT NULL,
  chunk BLOB NOT NULL,
  PRIMARY KEY (scan_id, part, position)
) STRICT;

-- Pieces of 16 MiB: each is cut from the whole report.
WITH RECURSIVE piece (id, position, size) AS (
  SELECT id, 0, length(report) FROM scans WHERE report IS NOT NULL
  UNION ALL
  SELECT id, position + 1, size FROM piece WHERE (position + 1) * 16777216 < size
)
INSERT INTO scan_report_chunks (scan_id, part, position, chunk)
SELECT piece.id, 0, position, substr(report, position * 16777216 + 1, 16777216)
FROM piece JOIN scans ON scans.id = piece.id;

ALTER TABLE scans DROP COLUMN report;
