-- Revisions of repositories of another hub, each as it was when it was first asked for (C 28).
CREATE TABLE mirror_revisions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL, -- 'models' or 'datasets'
  repository TEXT NOT NULL, -- such as ns/name
  commit_id TEXT NOT NULL, -- as the other hub names it
  about TEXT NOT NULL, -- what it says of the revision, as JSON
  files INTEGER, -- NULL until all entries are stored
  bytes INTEGER NOT NULL DEFAULT 0, -- of all files
  asked_first_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  asked_first_by INTEGER NOT NULL, -- a user
  pinned_at INTEGER, -- NULL if its files may be given up
  has_code INTEGER, -- whether loaders may run code of it; NULL as long as no rule has asked for that
  UNIQUE (kind, repository, commit_id)
) STRICT;

-- What branches and tags of these repositories named when they were last asked for.
CREATE TABLE mirror_names (
  kind TEXT NOT NULL,
  repository TEXT NOT NULL,
  name TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (kind, repository, name)
) STRICT, WITHOUT ROWID;

-- The files and folders of each revision, whether or not a file has been fetched.
CREATE TABLE mirror_entries (
  revision INTEGER NOT NULL,
  path TEXT NOT NULL, -- relative to the repository
  parent TEXT NOT NULL, -- '' for the repository
  is_dir INTEGER NOT NULL,
  size INTEGER NOT NULL, -- in bytes
  blob_id TEXT NOT NULL, -- in Git: of a file that Git LFS keeps, that of its pointer
  sha256 TEXT, -- in lower-case hexadecimal, of a file that Git LFS keeps
  admitted_at INTEGER, -- when it was first let through
  fetched_at INTEGER, -- NULL unless the tree has the file
  asked_at INTEGER, -- when it was last asked for
  passed_on_at INTEGER, -- since when readers may have bytes of it that were never verified
  PRIMARY KEY (revision, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX mirror_entries_by_parent ON mirror_entries (revision, parent, path);
CREATE INDEX mirror_entries_fetched ON mirror_entries (revision, size) WHERE fetched_at IS NOT NULL;
CREATE INDEX mirror_entries_by_content ON mirror_entries (sha256) WHERE fetched_at IS NOT NULL;
CREATE INDEX mirror_entries_by_use ON mirror_entries (asked_at) WHERE fetched_at IS NOT NULL;
