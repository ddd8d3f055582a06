-- People, and teams, which have a tree and no credential (C 27). A row is never deleted, nor its number given again.
CREATE TABLE people (
  number INTEGER PRIMARY KEY CHECK (number > 0), -- the id of the user
  kind TEXT NOT NULL CHECK (kind IN ('person', 'team')),
  name TEXT NOT NULL UNIQUE, -- in lower case
  email TEXT,
  groups TEXT NOT NULL DEFAULT '[]', -- a JSON array
  issuer TEXT, -- who says that somebody is this person, if it signs in by OpenID Connect
  subject TEXT, -- as whom
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  disabled_at INTEGER, -- likewise; NULL unless it is disabled
  CHECK ((issuer IS NULL) = (subject IS NULL))
) STRICT;
CREATE UNIQUE INDEX people_by_identity ON people (issuer, subject) WHERE issuer IS NOT NULL;
CREATE INDEX people_by_kind ON people (kind, name);

-- All names that they have and had: nobody else can have one.
CREATE TABLE people_names (
  name TEXT PRIMARY KEY,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The number that was given last. Operators and other issuers have given lower ones.
ALTER TABLE storage_state ADD COLUMN last_number INTEGER NOT NULL DEFAULT 1000000;
