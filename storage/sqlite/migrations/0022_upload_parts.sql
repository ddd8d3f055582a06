-- With a content store, nothing of uploads is in files. Small content that waits for a commit has the id of
-- its row in lfs_objects, which it has before that.
CREATE TABLE parked_contents (
  id TEXT PRIMARY KEY CHECK (length(id) = 32),
  bytes BLOB NOT NULL
) STRICT;

-- What has come of uploads that can be resumed, in order. Large parts are objects.
ALTER TABLE uploads ADD COLUMN turn INTEGER NOT NULL DEFAULT 0; -- which request may change the upload
CREATE TABLE upload_parts (
  upload TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0), -- where it begins in the file
  size INTEGER NOT NULL CHECK (size > 0), -- how many of its bytes count
  bytes BLOB,
  object TEXT UNIQUE,
  PRIMARY KEY (upload, position),
  CHECK ((bytes IS NULL) <> (object IS NULL))
) STRICT;

-- Whatever removes a part, its object leaves.
CREATE TRIGGER upload_parts_leave AFTER DELETE ON upload_parts WHEN OLD.object IS NOT NULL BEGIN
  INSERT INTO objects (key, state, due_at)
  VALUES (OLD.object, 'leaving', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;
CREATE TRIGGER uploads_drop_parts AFTER UPDATE OF completed_at ON uploads
WHEN NEW.completed_at IS NOT NULL BEGIN
  DELETE FROM upload_parts WHERE upload = NEW.id;
END;
