-- What the S3 door keeps of objects besides their content. A row counts while its record has this content.
CREATE TABLE s3_objects (
  record_id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL CHECK (length(hash) = 32), -- of the content
  etag TEXT CHECK (etag <> ''), -- NULL if it is the hash
  metadata TEXT NOT NULL -- JSON: headers, metadata of users, tags
) STRICT;

-- Uploads in parts of the S3 door. A part is an upload of its own, which has no file.
CREATE TABLE s3_uploads (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree the object is for
  path TEXT NOT NULL CHECK (path <> ''),
  metadata TEXT NOT NULL, -- of the object, as in s3_objects
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX s3_uploads_by_expiry ON s3_uploads (expires_at);
CREATE INDEX s3_uploads_by_path ON s3_uploads (user_id, path, id);

CREATE TABLE s3_parts (
  upload TEXT NOT NULL REFERENCES s3_uploads (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 10000),
  part TEXT NOT NULL, -- the row of uploads that has its content
  size INTEGER NOT NULL CHECK (size >= 0), -- in bytes
  md5 TEXT NOT NULL CHECK (length(md5) = 32),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;
