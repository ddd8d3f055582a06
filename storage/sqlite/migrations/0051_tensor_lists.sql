-- The tensors of content with their digests, for each user who has it under a name; made by comparisons.
CREATE TABLE tensor_lists (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL, -- of the lists: one of another version is made anew
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32), -- of the content that was read
  format TEXT NOT NULL,
  problem TEXT, -- why tensors or digests are missing
  lines TEXT NOT NULL, -- a tensor each, as JSON
  PRIMARY KEY (hash, user_id, name)
) STRICT;
