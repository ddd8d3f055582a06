-- People, and teams, which have a tree and no credential (C 27). A row is never deleted, nor its number given again.
CREATE TABLE people (
  number bigint PRIMARY KEY CHECK (number > 0), -- the id of the user
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('person', 'team')),
  name text COLLATE "C" NOT NULL UNIQUE, -- in lower case
  email text,
  groups text NOT NULL DEFAULT '[]', -- a JSON array
  issuer text COLLATE "C", -- who says that somebody is this person, if it signs in by OpenID Connect
  subject text COLLATE "C", -- as whom
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch
  disabled_at bigint, -- likewise; NULL unless it is disabled
  CHECK ((issuer IS NULL) = (subject IS NULL))
);
CREATE UNIQUE INDEX people_by_identity ON people (issuer, subject) WHERE issuer IS NOT NULL;
CREATE INDEX people_by_kind ON people (kind, name);

-- All names that they have and had: nobody else can have one.
CREATE TABLE people_names (
  name text COLLATE "C" PRIMARY KEY,
  number bigint NOT NULL
);

-- The number that was given last. Operators and other issuers have given lower ones.
ALTER TABLE storage_state ADD COLUMN last_number bigint NOT NULL DEFAULT 1000000;
