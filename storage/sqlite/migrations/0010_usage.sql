-- What each tree holds, so that a quota needs no count of its records. Triggers keep it right whatever
-- statement changes the records; strongroom check compares it with them.
CREATE TABLE usage (
  user_id INTEGER PRIMARY KEY,
  records INTEGER NOT NULL, -- files and directories
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL -- the sizes of all files; content that several share counts for each
) STRICT;

INSERT INTO usage (user_id, records, files, bytes)
SELECT user_id, count(*), sum(1 - is_dir), sum(size) FROM records GROUP BY user_id;

CREATE TRIGGER usage_of_added AFTER INSERT ON records
BEGIN
  INSERT INTO usage (user_id, records, files, bytes) VALUES (NEW.user_id, 1, 1 - NEW.is_dir, NEW.size)
  ON CONFLICT (user_id) DO UPDATE SET records = records + 1, files = files + excluded.files,
    bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER usage_of_deleted AFTER DELETE ON records
BEGIN
  UPDATE usage SET records = records - 1, files = files - (1 - OLD.is_dir), bytes = bytes - OLD.size
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER usage_of_changed AFTER UPDATE OF user_id, is_dir, size ON records
WHEN (NEW.user_id, NEW.is_dir, NEW.size) <> (OLD.user_id, OLD.is_dir, OLD.size)
BEGIN
  UPDATE usage SET records = records - 1, files = files - (1 - OLD.is_dir), bytes = bytes - OLD.size
  WHERE user_id = OLD.user_id;
  INSERT INTO usage (user_id, records, files, bytes) VALUES (NEW.user_id, 1, 1 - NEW.is_dir, NEW.size)
  ON CONFLICT (user_id) DO UPDATE SET records = records + 1, files = files + excluded.files,
    bytes = bytes + excluded.bytes;
END;
