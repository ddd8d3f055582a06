-- Uploads that can be resumed.
CREATE TABLE uploads (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id bigint NOT NULL CHECK (user_id > 0), -- whose tree the file is for
  created_by bigint NOT NULL CHECK (created_by > 0),
  path text COLLATE "C" NOT NULL CHECK (path <> ''),
  size bigint NOT NULL CHECK (size >= 0), -- of the whole file in bytes
  received bigint NOT NULL CHECK (received BETWEEN 0 AND size), -- how many of them are durable
  sha256 text COLLATE "C" CHECK (length(sha256) = 64), -- what the content must have, in hex
  on_conflict text NOT NULL CHECK (on_conflict IN ('error', 'skip', 'replace')),
  metadata text NOT NULL, -- as the client sent it
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at bigint NOT NULL,
  completed_at bigint -- when the file became part of the tree
);
CREATE INDEX unfinished_uploads ON uploads (user_id, size) WHERE completed_at IS NULL;
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

-- Content that was sent to the hub, and waits for a commit.
CREATE TABLE lfs_objects (
  id text COLLATE "C" PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id bigint NOT NULL CHECK (user_id > 0), -- for whose tree it is
  created_by bigint NOT NULL CHECK (created_by > 0),
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  size bigint NOT NULL CHECK (size >= 0),
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32), -- its MD5
  crc32 bigint NOT NULL CHECK (crc32 >= 0),
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at bigint NOT NULL,
  UNIQUE (user_id, sha256)
);
CREATE INDEX lfs_objects_by_size ON lfs_objects (user_id, size);
CREATE INDEX lfs_objects_by_expiry ON lfs_objects (expires_at);
