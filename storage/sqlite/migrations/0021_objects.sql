-- Content in an object store has the name of its object. With neither bytes nor an object, content is in
-- a file.
ALTER TABLE contents ADD COLUMN object TEXT;
CREATE UNIQUE INDEX contents_by_object ON contents (object) WHERE object IS NOT NULL;

-- Objects that are no content: what is being received or waits for a commit, and what is to be deleted.
-- An object has a row from before its first byte is sent, here or in another table. Its name is never used
-- again.
CREATE TABLE objects (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('arriving', 'leaving')),
  waiting TEXT, -- the id of what waits for a commit in an arriving object
  due_at INTEGER, -- when a leaving object is to be deleted, in milliseconds since the Unix epoch
  deletions INTEGER NOT NULL DEFAULT 0 -- how often it was deleted: a late upload may bring it back once
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX objects_waiting ON objects (waiting) WHERE waiting IS NOT NULL;
CREATE INDEX objects_due ON objects (due_at) WHERE state = 'leaving';

-- Content that no record had, kept for some days in case that a record has it again. Content in files is
-- in the directory quarantine/.
CREATE TABLE quarantine (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 32),
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  sha256 BLOB,
  created_at INTEGER NOT NULL,
  bytes BLOB,
  object TEXT,
  taken_at INTEGER NOT NULL -- milliseconds since the Unix epoch
) STRICT;
CREATE INDEX quarantine_by_age ON quarantine (taken_at);
