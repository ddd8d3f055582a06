-- Content that was sent to the hub, and waits for a commit. It is in the file of its id in uploads/.
CREATE TABLE lfs_objects (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- for whose tree it is
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  hash TEXT NOT NULL CHECK (length(hash) = 32), -- its MD5
  crc32 INTEGER NOT NULL CHECK (crc32 >= 0),
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  UNIQUE (user_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX lfs_objects_by_size ON lfs_objects (user_id, size);
CREATE INDEX lfs_objects_by_expiry ON lfs_objects (expires_at);

-- Signs the addresses to which clients send content without a credential. NULL until the first one.
ALTER TABLE storage_state ADD COLUMN hub_key BLOB CHECK (length(hub_key) = 32);

-- Content of a tree is found by its SHA-256 with the same work, whatever other trees have.
CREATE INDEX contents_by_sha256 ON contents (sha256, hash);
DROP INDEX records_by_hash;
CREATE INDEX records_by_hash ON records (hash, user_id) WHERE hash <> '';
