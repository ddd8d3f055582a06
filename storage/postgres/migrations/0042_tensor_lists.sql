-- The tensors of content with their digests, for each user who has it under a name; made by comparisons.
CREATE TABLE tensor_lists (
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  user_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL, -- of the lists: one of another version is made anew
  sha256 bytea NOT NULL CHECK (length(sha256) = 32), -- of the content that was read
  format text COLLATE "C" NOT NULL,
  problem text COLLATE "C", -- why tensors or digests are missing
  lines text COLLATE "C" NOT NULL, -- a tensor each, as JSON
  PRIMARY KEY (hash, user_id, name)
);
