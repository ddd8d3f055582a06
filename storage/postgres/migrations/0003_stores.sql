-- What the server remembers of its storage: one row.
CREATE TABLE storage_state (
  id smallint PRIMARY KEY CHECK (id = 1),
  strongroom_id text NOT NULL, -- backups tell strongrooms apart by it
  scrub_started_at bigint NOT NULL, -- milliseconds since the Unix epoch; 0 before the first scrub
  scrubbed_to text COLLATE "C" NOT NULL, -- the hash that the scrub has reached
  hub_key bytea CHECK (length(hub_key) = 32), -- signs addresses for content; NULL until the first one
  content_place text -- where content is that is not in the database; NULL before the first server
);
INSERT INTO storage_state VALUES (1, replace(gen_random_uuid()::text, '-', ''), 0, '', NULL, NULL);

-- Content that records lack, as an operator has accepted with --accept-damage.
CREATE TABLE accepted_losses (
  hash text COLLATE "C" PRIMARY KEY CHECK (length(hash) = 32)
);

-- URLs that serve one file or directory without a credential.
CREATE TABLE links (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_sha256 bytea NOT NULL UNIQUE CHECK (length(token_sha256) = 32), -- the token itself is not kept
  user_id bigint NOT NULL CHECK (user_id > 0), -- whose tree it is in
  record_id bigint NOT NULL, -- of the file or directory, which may be gone
  path text COLLATE "C" NOT NULL CHECK (path <> ''), -- of that record, when the link was made
  created_by bigint NOT NULL CHECK (created_by > 0),
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at bigint NOT NULL,
  once smallint NOT NULL CHECK (once IN (0, 1)), -- whether it serves one download only
  used_at bigint CHECK (used_at IS NULL OR once = 1) -- when that began
);
CREATE INDEX links_by_maker ON links (created_by, expires_at);
CREATE INDEX links_by_tree ON links (user_id, id);
CREATE INDEX links_by_expiry ON links (expires_at);

-- The credentials that strongroom token minted, without the tokens, and all that were revoked.
CREATE TABLE credentials (
  jti text COLLATE "C" PRIMARY KEY,
  user_id bigint, -- NULL if another issuer minted it
  privileges text NOT NULL, -- by commas
  trees text NOT NULL DEFAULT '{}', -- a JSON object of privileges by user id
  minted_at bigint, -- milliseconds since the Unix epoch
  expires_at bigint, -- likewise
  revoked_at bigint, -- likewise; NULL unless it is revoked
  parent text COLLATE "C", -- the jti of the credential that minted it, if one did
  label text, -- what its user calls it
  quota bigint, -- bytes; NULL for that of the settings, and if unknown
  -- When it was minted, or became known. Credentials of other issuers are known once they are revoked.
  known_at bigint NOT NULL GENERATED ALWAYS AS (coalesce(minted_at, revoked_at, 0)) STORED
);
CREATE INDEX credentials_by_time ON credentials (known_at, jti);
CREATE INDEX credentials_by_user ON credentials (user_id, known_at, jti);
CREATE INDEX credentials_by_parent ON credentials (parent) WHERE parent IS NOT NULL;
CREATE INDEX credentials_by_expiry ON credentials (expires_at);

-- Content that the gate lets through whatever its verdict is.
CREATE TABLE waivers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sha256 bytea NOT NULL CHECK (length(sha256) = 32),
  reason text NOT NULL CHECK (reason <> ''),
  user_id bigint NOT NULL, -- who gave it
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch
  expires_at bigint -- milliseconds since the Unix epoch; NULL for never
);
CREATE INDEX waivers_by_content ON waivers (sha256);

CREATE TABLE scans (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  requested_by bigint NOT NULL, -- who asked for it
  status text COLLATE "C" NOT NULL
    CHECK (status IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
  paths text NOT NULL, -- the first 16 KiB of what was asked for, a JSON array
  paths_total bigint NOT NULL,
  skip text NOT NULL, -- the scanners that are not to run, a JSON array in order
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  started_at bigint,
  finished_at bigint,
  files_total bigint NOT NULL, -- negative while the files are being added
  files_scanned bigint NOT NULL DEFAULT 0,
  bytes_total bigint NOT NULL,
  bytes_scanned bigint NOT NULL DEFAULT 0,
  critical bigint NOT NULL DEFAULT 0,
  warning bigint NOT NULL DEFAULT 0,
  info bigint NOT NULL DEFAULT 0,
  debug bigint NOT NULL DEFAULT 0,
  error text
);
CREATE INDEX scans_by_user ON scans (user_id, id);
CREATE INDEX scans_unfinished ON scans (status, id) WHERE status IN ('queued', 'running');
CREATE INDEX scans_by_end ON scans (finished_at) WHERE finished_at IS NOT NULL;

-- All paths of the scans that have more of them, as JSON arrays.
CREATE TABLE scan_paths (
  scan_id bigint PRIMARY KEY REFERENCES scans (id) ON DELETE CASCADE,
  paths text NOT NULL
);

-- The files of an unfinished scan, as they were when it was requested.
CREATE TABLE scan_files (
  scan_id bigint NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL, -- the last segment of the path
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  size bigint NOT NULL,
  error text, -- why it could not be scanned
  replaced smallint NOT NULL DEFAULT 0 -- whether its content has gone and other content come under the hash
);
CREATE UNIQUE INDEX scan_files_by_path ON scan_files (scan_id, left(path, 600), path_rest(path));
CREATE INDEX scan_files_by_hash ON scan_files (hash);

-- Content is scanned once for each of its names, as scanners depend on the name too.
CREATE TABLE scan_results (
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  name text COLLATE "C" NOT NULL,
  skip text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL, -- of the scanners, and the limits that they had
  sha256 bytea CHECK (length(sha256) = 32), -- of the content that was scanned; without it, no verdict
  verdict text NOT NULL CHECK (verdict IN ('clean', 'suspicious', 'dangerous', 'inconclusive')),
  findings text NOT NULL, -- the worst three, a JSON array
  scanned_at bigint NOT NULL, -- milliseconds since the Unix epoch
  result text NOT NULL, -- JSON, but the engine cannot read all of it, as it may have \u0000
  -- Whether an error or a limit ended the scan early. Content with such a key in what was found of it is
  -- scanned more often than it needs to be.
  cut_short boolean NOT NULL
    GENERATED ALWAYS AS (position('"operationalError":' IN result) > 0) STORED,
  -- Servers of different versions may run side by side: each has its own results.
  PRIMARY KEY (hash, name, skip, version)
);

-- How often the scan of a content began and has not ended: the server died, or it is going on.
CREATE TABLE scan_attempts (
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  name text COLLATE "C" NOT NULL,
  skip text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL CHECK (attempts >= 0),
  PRIMARY KEY (hash, name, skip)
);

-- Content whose scan failed since the server started.
CREATE TABLE scan_failures (
  hash text COLLATE "C" NOT NULL CHECK (length(hash) = 32),
  name text COLLATE "C" NOT NULL,
  problem text NOT NULL, -- for people
  failed_at bigint NOT NULL, -- milliseconds since the Unix epoch
  PRIMARY KEY (hash, name)
);

-- The report document of a scan in chunks, so that it never has to be in memory whole.
CREATE TABLE scan_report_chunks (
  scan_id bigint NOT NULL REFERENCES scans (id) ON DELETE CASCADE,
  part bigint NOT NULL, -- the document is the chunks of part 0, then those of part 1, and so on
  position bigint NOT NULL,
  chunk bytea NOT NULL,
  PRIMARY KEY (scan_id, part, position)
);
