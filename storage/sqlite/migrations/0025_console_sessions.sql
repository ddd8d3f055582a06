-- Sessions of the console. A browser has the key of its own, with which alone the credential is decrypted.
CREATE TABLE console_sessions (
  id BLOB PRIMARY KEY CHECK (length(id) = 32), -- the SHA-256 of the key, which is not kept
  user_id INTEGER NOT NULL CHECK (user_id > 0),
  sealed BLOB NOT NULL, -- the credential, by AES-256-GCM
  created_at INTEGER NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at INTEGER NOT NULL -- when the credential does
) STRICT, WITHOUT ROWID;
CREATE INDEX console_sessions_by_user ON console_sessions (user_id, created_at);
CREATE INDEX console_sessions_by_expiry ON console_sessions (expires_at);
