-- Readings of the clock (C 31), in milliseconds since the Unix epoch: what is over is forgotten by the
-- second one, which a reading a day later has confirmed.
ALTER TABLE storage_state ADD COLUMN clock_read_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE storage_state ADD COLUMN clock_settled_at INTEGER NOT NULL DEFAULT 0;

-- Users whose credentials of before a time are refused.
CREATE TABLE user_revocations (
  user_id INTEGER PRIMARY KEY CHECK (user_id > 0),
  issued_before INTEGER NOT NULL -- milliseconds since the Unix epoch
) STRICT;

-- When the first credential was issued of those that led to this one, each minting the next.
ALTER TABLE credentials ADD COLUMN rooted_at INTEGER;
-- Of a short credential: by what it is found, the key that it stands or falls with, and its last use.
ALTER TABLE credentials ADD COLUMN token_sha256 BLOB CHECK (length(token_sha256) = 32);
ALTER TABLE credentials ADD COLUMN key_id TEXT;
ALTER TABLE credentials ADD COLUMN used_at INTEGER;
CREATE UNIQUE INDEX credentials_by_token ON credentials (token_sha256)
  WHERE token_sha256 IS NOT NULL;

-- The credential that made a link, which ends with it. Links from before this version have none.
ALTER TABLE links ADD COLUMN jti TEXT;
ALTER TABLE links ADD COLUMN issued_at INTEGER NOT NULL DEFAULT 0; -- when that credential was issued
ALTER TABLE links ADD COLUMN key_id TEXT; -- the key that signed it
CREATE INDEX links_by_credential ON links (jti) WHERE jti IS NOT NULL;
