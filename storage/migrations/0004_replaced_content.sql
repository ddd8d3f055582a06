-- MD5 can be forged: content that comes in anew, while no record has its hash, may be other content than
-- what was scanned under this hash before. Nothing that was found then holds for it, and a scan that
-- was to read the content before has lost it.
ALTER TABLE scan_files ADD COLUMN replaced INTEGER NOT NULL DEFAULT 0;
CREATE INDEX scan_files_by_hash ON scan_files (hash);

CREATE TRIGGER content_comes_in AFTER INSERT ON records
WHEN new.hash <> '' AND NOT EXISTS (
  SELECT 1 FROM records WHERE hash = new.hash AND hash <> '' AND id <> new.id
)
BEGIN
  DELETE FROM scan_results WHERE hash = new.hash;
  UPDATE scan_files SET replaced = 1, error = 'It was removed while the scan went on'
  WHERE hash = new.hash;
END;
