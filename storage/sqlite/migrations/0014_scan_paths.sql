-- Of a scan's paths, `scans` has the first 16 KiB: lists of scans show no more.
ALTER TABLE scans ADD COLUMN paths_total INTEGER NOT NULL DEFAULT 0;
UPDATE scans SET paths_total = json_array_length(paths);

-- All paths of the scans that have more of them, as JSON arrays.
CREATE TABLE scan_paths (
  scan_id INTEGER PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
  paths TEXT NOT NULL
) STRICT;
INSERT INTO scan_paths
  SELECT id, paths FROM scans
  WHERE (SELECT sum(octet_length(value)) FROM json_each(paths)) > 16384;
UPDATE scans SET paths = (
    SELECT json_group_array(value) FROM (
      SELECT value, sum(octet_length(value)) OVER (ORDER BY key) AS bytes FROM json_each(paths)
    ) WHERE bytes <= 16384
  )
  WHERE id IN (SELECT scan_id FROM scan_paths);
