-- What content says of itself, for each user who has it under a name; found by scans.
CREATE TABLE facts (
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  user_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  version bigint NOT NULL, -- of the facts: another one is made anew
  sha256 bytea NOT NULL CHECK (length(sha256) = 32), -- of the content that was scanned
  facts text NOT NULL, -- JSON
  PRIMARY KEY (hash, user_id, name)
);
