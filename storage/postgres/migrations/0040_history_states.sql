-- The state of a path, or of a record, that a version had is the first that ended later: one entry of an index.
DROP INDEX history_by_path;
CREATE INDEX history_by_path ON history (user_id, left(path, 600), until);
DROP INDEX history_by_id;
CREATE INDEX history_by_id ON history (user_id, id, until);
-- What the engine knows of the first characters of paths went with the indexes that had them.
ANALYZE history;
