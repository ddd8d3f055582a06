-- The schema of a new database: that to which the migrations 1 to 46 lead, in a sixth of their time.
-- A test compares the two. Like a migration, it is never edited: later ones follow it.

CREATE TABLE records (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  path TEXT NOT NULL,
  parent TEXT, -- the path without its last segment; NULL directly under the root
  name TEXT NOT NULL, -- the last segment of the path
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  updated_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  since INTEGER NOT NULL DEFAULT 0, -- the version of the tree that made it as it is
  UNIQUE (user_id, path),
  FOREIGN KEY (user_id, parent) REFERENCES records (user_id, path) DEFERRABLE INITIALLY DEFERRED,
  CHECK (path = ifnull(parent || '/', '') || name AND name <> '' AND instr(name, '/') = 0),
  CHECK (
    CASE is_dir
      WHEN 1 THEN hash = '' AND size = 0 AND crc32 = 0
      WHEN 0 THEN length(hash) = 32 AND size >= 0 AND crc32 >= 0
      ELSE FALSE
    END
  )
) STRICT;
CREATE INDEX records_by_parent ON records (parent, user_id, path);
CREATE INDEX records_by_path ON records (path);

CREATE TABLE scans (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  paths TEXT NOT NULL, -- what was asked for, a JSON array
  skip TEXT NOT NULL, -- the scanners that are not to run, a JSON array in order
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  started_at INTEGER,
  finished_at INTEGER,
  files_total INTEGER NOT NULL,
  files_scanned INTEGER NOT NULL DEFAULT 0,
  bytes_total INTEGER NOT NULL,
  bytes_scanned INTEGER NOT NULL DEFAULT 0,
  critical INTEGER NOT NULL DEFAULT 0,
  warning INTEGER NOT NULL DEFAULT 0,
  info INTEGER NOT NULL DEFAULT 0,
  debug INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  paths_total INTEGER NOT NULL DEFAULT 0,
  requested_by INTEGER
) STRICT;
CREATE INDEX scans_by_user ON scans (user_id, id);
CREATE INDEX scans_unfinished ON scans (status, id) WHERE status IN ('queued', 'running');

CREATE TABLE scan_files (
  scan_id INTEGER NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  name TEXT NOT NULL, -- the last segment of the path
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  size INTEGER NOT NULL,
  error TEXT, -- why it could not be scanned
  replaced INTEGER NOT NULL DEFAULT 0, -- whether its content has gone and other content come under the hash
  user_id INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scan_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX scan_files_by_hash ON scan_files (hash);
CREATE INDEX scans_by_end ON scans (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE scan_report_chunks (
  scan_id INTEGER NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  part INTEGER NOT NULL, -- the document is the chunks of part 0, then those of part 1, and so on
  position INTEGER NOT NULL,
  chunk BLOB NOT NULL,
  PRIMARY KEY (scan_id, part, position)
) STRICT;

CREATE TABLE storage_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL, -- the lock file has the same number, or a lower one
  scrub_started_at INTEGER NOT NULL, -- milliseconds since the Unix epoch; 0 before the first scrub
  scrubbed_to TEXT NOT NULL, -- the hash that the scrub has reached
  strongroom_id TEXT NOT NULL DEFAULT '',
  hub_key BLOB CHECK (length(hub_key) = 32),
  clock_read_at INTEGER NOT NULL DEFAULT 0,
  clock_settled_at INTEGER NOT NULL DEFAULT 0,
  keeps_history INTEGER NOT NULL DEFAULT 0,
  last_number INTEGER NOT NULL DEFAULT 1000000 -- that was given to a person; others have given lower ones
) STRICT;

CREATE TABLE accepted_losses (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;

CREATE TABLE contents (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  crc32 INTEGER NOT NULL CHECK (crc32 >= 0),
  sha256 BLOB CHECK (length(sha256) = 32), -- NULL until the content has been read through
  created_at INTEGER NOT NULL, -- when it was first stored, in milliseconds since the Unix epoch
  bytes BLOB CHECK (length(bytes) = size), -- NULL for content in a file
  object TEXT
) STRICT;

CREATE TABLE large_change (
  user_id INTEGER PRIMARY KEY,
  last_id INTEGER NOT NULL, -- the greatest id of a record before the change
  version INTEGER NOT NULL DEFAULT 0 -- the one that the change makes of the tree; 0 without history
) STRICT;

CREATE TABLE former_records (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  since INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX former_records_by_hash ON former_records (hash) WHERE hash <> '';

CREATE TABLE usage (
  user_id INTEGER PRIMARY KEY,
  records INTEGER NOT NULL, -- files and directories
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL -- the sizes of all files; content that several share counts for each
) STRICT;

CREATE TRIGGER usage_of_added AFTER INSERT ON records
BEGIN
  INSERT INTO usage (user_id, records, files, bytes) VALUES (NEW.user_id, 1, 1 - NEW.is_dir, NEW.size)
  ON CONFLICT (user_id) DO UPDATE SET records = records + 1, files = files + excluded.files,
    bytes = bytes + excluded.bytes;
END;

CREATE TRIGGER usage_of_deleted AFTER DELETE ON records
BEGIN
  UPDATE usage SET records = records - 1, files = files - (1 - OLD.is_dir), bytes = bytes - OLD.size
  WHERE user_id = OLD.user_id;
END;

CREATE TRIGGER usage_of_changed AFTER UPDATE OF user_id, is_dir, size ON records
WHEN (NEW.user_id, NEW.is_dir, NEW.size) <> (OLD.user_id, OLD.is_dir, OLD.size)
BEGIN
  UPDATE usage SET records = records - 1, files = files - (1 - OLD.is_dir), bytes = bytes - OLD.size
  WHERE user_id = OLD.user_id;
  INSERT INTO usage (user_id, records, files, bytes) VALUES (NEW.user_id, 1, 1 - NEW.is_dir, NEW.size)
  ON CONFLICT (user_id) DO UPDATE SET records = records + 1, files = files + excluded.files,
    bytes = bytes + excluded.bytes;
END;

CREATE TABLE credentials (
  jti TEXT PRIMARY KEY,
  user_id INTEGER, -- NULL if another issuer minted it
  privileges TEXT NOT NULL, -- by commas
  minted_at INTEGER, -- milliseconds since the Unix epoch
  expires_at INTEGER, -- likewise
  revoked_at INTEGER, -- likewise; NULL unless it is revoked
  trees TEXT NOT NULL DEFAULT '{}',
  parent TEXT,
  label TEXT,
  quota INTEGER,
  known_at INTEGER GENERATED ALWAYS AS (coalesce(minted_at, revoked_at, 0)) VIRTUAL,
  rooted_at INTEGER,
  token_sha256 BLOB CHECK (length(token_sha256) = 32),
  key_id TEXT,
  used_at INTEGER,
  bound INTEGER NOT NULL DEFAULT 0 CHECK (bound IN (0, 1)), -- whether it may never do more than its person
  renewed_ms INTEGER, -- how long it lasts after each use; NULL if it ends at its time
  access_key_id TEXT CHECK (access_key_id <> '') -- of the access key of S3 that it is
) STRICT, WITHOUT ROWID;
CREATE INDEX contents_without_sha256 ON contents (hash) WHERE sha256 IS NULL;

CREATE TABLE waivers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  reason TEXT NOT NULL CHECK (reason <> ''),
  user_id INTEGER NOT NULL, -- who gave it
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  expires_at INTEGER -- milliseconds since the Unix epoch; NULL for never
) STRICT;
CREATE INDEX waivers_by_content ON waivers (sha256);

CREATE TABLE scan_paths (
  scan_id INTEGER PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
  paths TEXT NOT NULL
) STRICT;

CREATE TABLE content_totals (
  in_file INTEGER PRIMARY KEY CHECK (in_file IN (0, 1)),
  contents INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

CREATE TRIGGER content_totals_of_added AFTER INSERT ON contents
BEGIN
  UPDATE content_totals SET contents = contents + 1, bytes = bytes + NEW.size
  WHERE in_file = (NEW.bytes IS NULL);
END;

CREATE TRIGGER content_totals_of_deleted AFTER DELETE ON contents
BEGIN
  UPDATE content_totals SET contents = contents - 1, bytes = bytes - OLD.size
  WHERE in_file = (OLD.bytes IS NULL);
END;

CREATE TRIGGER content_totals_of_changed AFTER UPDATE OF size, bytes ON contents
BEGIN
  UPDATE content_totals SET contents = contents - 1, bytes = bytes - OLD.size
  WHERE in_file = (OLD.bytes IS NULL);
  UPDATE content_totals SET contents = contents + 1, bytes = bytes + NEW.size
  WHERE in_file = (NEW.bytes IS NULL);
END;

CREATE TABLE links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_sha256 BLOB NOT NULL UNIQUE CHECK (length(token_sha256) = 32), -- the token itself is not kept
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree it is in
  record_id INTEGER NOT NULL, -- of the file or directory, which may be gone
  path TEXT NOT NULL CHECK (path <> ''), -- of that record, when the link was made
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  once INTEGER NOT NULL CHECK (once IN (0, 1)), -- whether it serves one download only
  used_at INTEGER CHECK (used_at IS NULL OR once), -- when that began
  jti TEXT,
  issued_at INTEGER NOT NULL DEFAULT 0,
  key_id TEXT
) STRICT;
CREATE INDEX links_by_maker ON links (created_by, expires_at);
CREATE INDEX links_by_tree ON links (user_id, id);
CREATE INDEX links_by_expiry ON links (expires_at);

CREATE TABLE uploads (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree the file is for
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  path TEXT NOT NULL CHECK (path <> ''),
  size INTEGER NOT NULL CHECK (size >= 0), -- of the whole file in bytes
  received INTEGER NOT NULL CHECK (received BETWEEN 0 AND size), -- how many of them are synced
  sha256 TEXT CHECK (length(sha256) = 64), -- what the content must have, in hex
  on_conflict TEXT NOT NULL CHECK (on_conflict IN ('error', 'skip', 'replace')),
  metadata TEXT NOT NULL, -- as the client sent it
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  completed_at INTEGER, -- when the file became part of the tree
  turn INTEGER NOT NULL DEFAULT 0,
  deferred INTEGER NOT NULL DEFAULT 0,
  concat TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX unfinished_uploads ON uploads (user_id, size) WHERE completed_at IS NULL;
CREATE INDEX uploads_by_expiry ON uploads (expires_at);

CREATE TABLE lfs_objects (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- for whose tree it is
  created_by INTEGER NOT NULL CHECK (created_by > 0),
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
  size INTEGER NOT NULL CHECK (size >= 0),
  hash TEXT NOT NULL CHECK (length(hash) = 32), -- its MD5
  crc32 INTEGER NOT NULL CHECK (crc32 >= 0),
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  UNIQUE (user_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX lfs_objects_by_size ON lfs_objects (user_id, size);
CREATE INDEX lfs_objects_by_expiry ON lfs_objects (expires_at);
CREATE INDEX contents_by_sha256 ON contents (sha256, hash);
CREATE INDEX records_by_hash ON records (hash, user_id) WHERE hash <> '';
CREATE INDEX credentials_by_time ON credentials (known_at, jti);
CREATE INDEX credentials_by_user ON credentials (user_id, known_at, jti);
CREATE INDEX credentials_by_parent ON credentials (parent) WHERE parent IS NOT NULL;
CREATE INDEX credentials_by_expiry ON credentials (expires_at);
CREATE UNIQUE INDEX contents_by_object ON contents (object) WHERE object IS NOT NULL;

CREATE TABLE objects (
  key TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('arriving', 'leaving')),
  waiting TEXT, -- the id of what waits for a commit in an arriving object
  due_at INTEGER, -- when a leaving object is to be deleted, in milliseconds since the Unix epoch
  deletions INTEGER NOT NULL DEFAULT 0 -- how often it was deleted: a late upload may bring it back once
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX objects_waiting ON objects (waiting) WHERE waiting IS NOT NULL;
CREATE INDEX objects_due ON objects (due_at) WHERE state = 'leaving';

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

CREATE TABLE parked_contents (
  id TEXT PRIMARY KEY CHECK (length(id) = 32),
  bytes BLOB NOT NULL
) STRICT;

CREATE TABLE upload_parts (
  upload TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0), -- where it begins in the file
  size INTEGER NOT NULL CHECK (size > 0), -- how many of its bytes count
  bytes BLOB,
  object TEXT UNIQUE,
  PRIMARY KEY (upload, position),
  CHECK ((bytes IS NULL) <> (object IS NULL))
) STRICT;

CREATE TRIGGER upload_parts_leave AFTER DELETE ON upload_parts WHEN OLD.object IS NOT NULL BEGIN
  INSERT INTO objects (key, state, due_at)
  VALUES (OLD.object, 'leaving', CAST(unixepoch('subsec') * 1000 AS INTEGER));
END;

CREATE TRIGGER uploads_drop_parts AFTER UPDATE OF completed_at ON uploads
WHEN NEW.completed_at IS NOT NULL BEGIN
  DELETE FROM upload_parts WHERE upload = NEW.id;
END;
CREATE INDEX records_unnameable ON records (id) WHERE (
  name <> rtrim(name, char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
    8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279))
  OR parent IS NULL AND name <> ltrim(name, char(32, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200,
    8201, 8202, 8232, 8233, 8239, 8287, 12288, 65279))
);

CREATE TABLE scan_attempts (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (hash, user_id, name, skip)
) STRICT, WITHOUT ROWID;

CREATE TABLE scan_failures (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  problem TEXT NOT NULL, -- for people
  failed_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  PRIMARY KEY (hash, user_id, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_revocations (
  user_id INTEGER PRIMARY KEY CHECK (user_id > 0),
  issued_before INTEGER NOT NULL -- milliseconds since the Unix epoch
) STRICT;
CREATE UNIQUE INDEX credentials_by_token ON credentials (token_sha256)
  WHERE token_sha256 IS NOT NULL;
CREATE INDEX links_by_credential ON links (jti) WHERE jti IS NOT NULL;

CREATE TABLE locks (
  token TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree it is in
  path TEXT NOT NULL, -- '' for the whole tree
  is_deep INTEGER NOT NULL CHECK (is_deep IN (0, 1)), -- whether it holds what is below the path, too
  is_shared INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
  holder INTEGER NOT NULL CHECK (holder > 0), -- the user who has taken it
  owner TEXT NOT NULL, -- XML
  expires_at INTEGER NOT NULL -- milliseconds since the Unix epoch
) STRICT, WITHOUT ROWID;
CREATE INDEX locks_by_tree ON locks (user_id, path);
CREATE INDEX locks_by_expiry ON locks (expires_at);

CREATE TABLE properties (
  record_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),
  xml TEXT NOT NULL, -- the whole element
  PRIMARY KEY (record_id, namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE s3_objects (
  record_id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL CHECK (length(hash) = 32), -- of the content
  etag TEXT CHECK (etag <> ''), -- NULL if it is the hash
  metadata TEXT NOT NULL -- JSON: headers, metadata of users, tags
) STRICT;

CREATE TABLE s3_uploads (
  id TEXT PRIMARY KEY CHECK (length(id) = 32), -- 128 random bits in hex
  user_id INTEGER NOT NULL CHECK (user_id > 0), -- whose tree the object is for
  path TEXT NOT NULL CHECK (path <> ''),
  metadata TEXT NOT NULL, -- of the object, as in s3_objects
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX s3_uploads_by_expiry ON s3_uploads (expires_at);
CREATE INDEX s3_uploads_by_path ON s3_uploads (user_id, path, id);

CREATE TABLE s3_parts (
  upload TEXT NOT NULL REFERENCES s3_uploads (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number BETWEEN 1 AND 10000),
  part TEXT NOT NULL, -- the row of uploads that has its content
  size INTEGER NOT NULL CHECK (size >= 0), -- in bytes
  md5 TEXT NOT NULL CHECK (length(md5) = 32),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (upload, number)
) STRICT, WITHOUT ROWID;

-- A tree that has changed while history is kept.
CREATE TABLE tree_versions (
  user_id INTEGER PRIMARY KEY,
  version INTEGER NOT NULL, -- the present one
  oldest INTEGER NOT NULL, -- the first that can be read; greater than the present one while nothing is kept
  history_bytes INTEGER NOT NULL DEFAULT 0 -- the sizes of the files that were deleted or replaced
) STRICT;

-- When each version was made.
CREATE TABLE tree_changes (
  user_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  made_at INTEGER NOT NULL, -- milliseconds since the Unix epoch; never earlier than the version before
  change INTEGER, -- the number of a large change, in other engines
  author INTEGER, -- who made it; NULL for the user whose tree it is
  message TEXT, -- why, if that was said
  -- All records that it has added have ids from the one to the other. Other records may have, too.
  first_added INTEGER,
  last_added INTEGER,
  PRIMARY KEY (user_id, version)
) STRICT, WITHOUT ROWID;

-- A record as it was from one version up to, but not including, another one.
CREATE TABLE history (
  user_id INTEGER NOT NULL,
  until INTEGER NOT NULL,
  id INTEGER NOT NULL, -- of the record
  since INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- 1 if the record has the same content from "until" on, so that this row need not refer to it.
  is_moved INTEGER NOT NULL,
  CHECK (since < until),
  -- In the order in which history is given up.
  PRIMARY KEY (user_id, until, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_by_path ON history (user_id, path, until);
CREATE INDEX history_by_parent ON history (user_id, parent, until);
CREATE INDEX history_by_id ON history (user_id, id, until);
CREATE INDEX history_by_hash ON history (hash, user_id) WHERE hash <> '' AND is_moved = 0;

-- Rows of history as changes write them, in little time as there is no index. They get into order later.
CREATE TABLE fresh_history (
  position INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  until INTEGER NOT NULL,
  id INTEGER NOT NULL,
  since INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  is_moved INTEGER NOT NULL,
  CHECK (since < until)
) STRICT;
CREATE TRIGGER history_in_order AFTER DELETE ON fresh_history BEGIN
  INSERT INTO history VALUES (
    OLD.user_id, OLD.until, OLD.id, OLD.since, OLD.path, OLD.parent, OLD.name, OLD.hash, OLD.size, OLD.crc32,
    OLD.is_dir, OLD.created_at, OLD.updated_at, OLD.is_moved
  );
END;

-- All rows of history, whether they are in order or not.
CREATE VIEW former_states AS
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM history
UNION ALL
SELECT user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved
FROM fresh_history;

-- The files that no record has any more.
CREATE VIEW kept_files AS
SELECT id, user_id, path, hash, size, crc32 FROM history WHERE is_moved = 0;
CREATE VIEW fresh_files AS
SELECT id, user_id, path, hash, size, crc32 FROM fresh_history WHERE is_moved = 0;

-- Names of files and directories as they were, which keep their content.
CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL, -- whose tree it is
  name TEXT NOT NULL,
  path TEXT NOT NULL, -- '' for the whole tree
  version INTEGER NOT NULL, -- the one that the tree had; 0 without history
  message TEXT,
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  files INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  records INTEGER NOT NULL DEFAULT 0, -- its rows: each takes bytes, as that of a directory does
  UNIQUE (user_id, name)
) STRICT;

-- What a tag names: records as they were, and the directories above.
CREATE TABLE tagged_records (
  tag INTEGER NOT NULL REFERENCES tags (id),
  id INTEGER NOT NULL, -- of the record
  user_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  parent TEXT,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  size INTEGER NOT NULL,
  crc32 INTEGER NOT NULL,
  is_dir INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (tag, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX tagged_by_hash ON tagged_records (hash, user_id) WHERE hash <> '';

-- The commit ids of repositories of the hub at versions of their trees, as far as somebody asked for them.
CREATE TABLE hub_commits (
  user_id INTEGER NOT NULL,
  directory TEXT NOT NULL,
  version INTEGER NOT NULL, -- or the negative id of a tag
  commit_id TEXT NOT NULL,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, directory, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_commits_by_id ON hub_commits (user_id, commit_id);

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

-- People sign in without a credential, and see where they are signed in.
CREATE TABLE console_sessions (
  id BLOB PRIMARY KEY CHECK (length(id) = 32), -- the SHA-256 of the key, which is not kept
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  means TEXT NOT NULL CHECK (means IN ('credential', 'passkey', 'provider')), -- how the person has signed in
  sealed BLOB, -- the credential, by AES-256-GCM
  key_id TEXT, -- the key of the server that it stands or falls with
  provider_session TEXT, -- what the provider calls its own
  browser TEXT, -- what it called itself
  address TEXT, -- of the browser when the session began
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, -- with a credential, a day after it
  CHECK ((means = 'credential') = (sealed IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX console_sessions_by_user ON console_sessions (user_id, created_at);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);

-- By what people without a provider sign in (C 27).
CREATE TABLE passkeys (
  id TEXT PRIMARY KEY CHECK (id <> ''), -- in base64url, as the authenticator has chosen it
  person INTEGER NOT NULL REFERENCES people (number),
  public_key BLOB NOT NULL, -- in COSE's form
  counter INTEGER NOT NULL CHECK (counter >= 0), -- how often the authenticator says to have signed
  transports TEXT NOT NULL, -- a JSON array
  label TEXT NOT NULL, -- what the person calls it
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_person ON passkeys (person, created_at);

-- Links by which a person makes a passkey, once.
CREATE TABLE invitations (
  token_sha256 BLOB PRIMARY KEY CHECK (length(token_sha256) = 32),
  person INTEGER NOT NULL REFERENCES people (number),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_person ON invitations (person);

-- Machines that wait for their person (RFC 8628).
CREATE TABLE device_logins (
  device_sha256 BLOB PRIMARY KEY CHECK (length(device_sha256) = 32),
  user_code TEXT NOT NULL UNIQUE, -- what the person enters
  machine TEXT NOT NULL, -- what it calls itself
  address TEXT, -- of the machine
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL,
  decided_at INTEGER, -- NULL as long as nobody has decided
  person INTEGER -- who has approved it; NULL if it was denied, too
) STRICT, WITHOUT ROWID;
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);

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

CREATE TABLE scan_results (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  skip TEXT NOT NULL,
  version TEXT NOT NULL, -- of the scanners, and the limits that they had
  sha256 BLOB CHECK (length(sha256) = 32), -- of the content that was scanned; without it, no verdict
  verdict TEXT NOT NULL
    CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive', 'unknown')),
  format TEXT, -- the first scanner that reads it; NULL in results of former versions
  findings TEXT NOT NULL, -- the worst three, a JSON array
  scanned_at INTEGER NOT NULL, -- milliseconds since the Unix epoch
  took_ms INTEGER, -- the time of the scan; NULL if it is not known
  facts_version INTEGER NOT NULL DEFAULT 0, -- of the facts that came with it; 0 for none
  read_ms INTEGER, -- until its progress was reported last
  result TEXT NOT NULL, -- JSON; last, as it is large
  PRIMARY KEY (hash, user_id, name, skip)
) STRICT, WITHOUT ROWID;
CREATE INDEX scan_results_long ON scan_results (hash, name, skip, version) WHERE took_ms >= 1000;
CREATE INDEX scan_results_by_time ON scan_results (user_id, scanned_at, verdict, skip);

-- What content says of itself, for each user who has it under a name; found by scans.
CREATE TABLE facts (
  hash TEXT NOT NULL CHECK (length(hash) = 32),
  user_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL, -- of the facts: another one is made anew
  sha256 BLOB NOT NULL CHECK (length(sha256) = 32), -- of the content that was scanned
  facts TEXT NOT NULL, -- JSON
  PRIMARY KEY (hash, user_id, name)
) STRICT, WITHOUT ROWID;

INSERT INTO storage_state (id, generation, scrub_started_at, scrubbed_to, strongroom_id)
VALUES (1, 0, 0, '', lower(hex(randomblob(16))));

INSERT INTO content_totals (in_file, contents, bytes) VALUES (0, 0, 0), (1, 0, 0);
