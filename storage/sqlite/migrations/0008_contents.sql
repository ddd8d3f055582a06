-- What is known of content, once for each content. Small content itself is here as well, so that one sync
-- of the log makes it durable together with its record. Larger content is in a file.
CREATE TABLE contents (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  crc32 INTEGER NOT NULL CHECK (crc32 >= 0),
  sha256 BLOB CHECK (length(sha256) = 32), -- NULL until the content has been read through
  created_at INTEGER NOT NULL, -- when it was first stored, in milliseconds since the Unix epoch
  bytes BLOB CHECK (length(bytes) = size) -- NULL for content in a file
) STRICT;

INSERT INTO contents (hash, size, crc32, created_at)
SELECT hash, max(size), max(crc32), min(created_at) FROM records WHERE is_dir = 0 GROUP BY hash;
