-- Revisions of repositories of another hub, each as it was when it was first asked for (C 28).
CREATE TABLE mirror_revisions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL, -- 'models' or 'datasets'
  repository text COLLATE "C" NOT NULL, -- such as ns/name
  commit_id text COLLATE "C" NOT NULL, -- as the other hub names it
  about text NOT NULL, -- what it says of the revision, as JSON
  files bigint, -- NULL until all entries are stored
  bytes bigint NOT NULL DEFAULT 0, -- of all files
  asked_first_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  asked_first_by bigint NOT NULL, -- a user
  pinned_at bigint, -- NULL if its files may be given up
  has_code integer, -- whether loaders may run code of it; NULL as long as no rule has asked for that
  UNIQUE (kind, repository, commit_id)
);

-- What branches and tags of these repositories named when they were last asked for.
CREATE TABLE mirror_names (
  kind text COLLATE "C" NOT NULL,
  repository text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  commit_id text COLLATE "C" NOT NULL,
  checked_at bigint NOT NULL,
  PRIMARY KEY (kind, repository, name)
);

-- The files and folders of each revision, whether or not a file has been fetched.
CREATE TABLE mirror_entries (
  revision bigint NOT NULL,
  path text COLLATE "C" NOT NULL, -- relative to the repository
  parent text COLLATE "C" NOT NULL, -- '' for the repository
  is_dir integer NOT NULL,
  size bigint NOT NULL, -- in bytes
  blob_id text NOT NULL, -- in Git: of a file that Git LFS keeps, that of its pointer
  sha256 text COLLATE "C", -- in lower-case hexadecimal, of a file that Git LFS keeps
  admitted_at bigint, -- when it was first let through
  fetched_at bigint, -- NULL unless the tree has the file
  asked_at bigint, -- when it was last asked for
  passed_on_at bigint, -- since when readers may have bytes of it that were never verified
  server text, -- the server that fetches it
  PRIMARY KEY (revision, path)
);
CREATE INDEX mirror_entries_by_parent ON mirror_entries (revision, parent, path);
CREATE INDEX mirror_entries_fetched ON mirror_entries (revision, size) WHERE fetched_at IS NOT NULL;
CREATE INDEX mirror_entries_by_content ON mirror_entries (sha256) WHERE fetched_at IS NOT NULL;
CREATE INDEX mirror_entries_by_use ON mirror_entries (asked_at) WHERE fetched_at IS NOT NULL;
