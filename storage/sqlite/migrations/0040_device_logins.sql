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

-- How long a credential lasts after each use, in milliseconds; NULL if it ends at its time.
ALTER TABLE credentials ADD COLUMN renewed_ms INTEGER;
