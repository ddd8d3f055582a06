-- People sign in without a credential, and see where they are signed in.
CREATE TABLE sessions_of_persons (
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
INSERT INTO sessions_of_persons (id, user_id, means, sealed, created_at, used_at, expires_at)
  SELECT id, user_id, 'credential', sealed, created_at, created_at, expires_at FROM console_sessions;
DROP TABLE console_sessions;
ALTER TABLE sessions_of_persons RENAME TO console_sessions;
CREATE INDEX console_sessions_by_user ON console_sessions (user_id, created_at);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);
