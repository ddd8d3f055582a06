-- Machines that wait for their person (RFC 8628).
CREATE TABLE device_logins (
  device_sha256 bytea PRIMARY KEY CHECK (length(device_sha256) = 32),
  user_code text COLLATE "C" NOT NULL UNIQUE, -- what the person enters
  machine text NOT NULL, -- what it calls itself
  address text, -- of the machine
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  expires_at bigint NOT NULL,
  decided_at bigint, -- NULL as long as nobody has decided
  person bigint -- who has approved it; NULL if it was denied, too
);
CREATE INDEX device_logins_by_expiry ON device_logins (expires_at);

-- How long a credential lasts after each use, in milliseconds; NULL if it ends at its time.
ALTER TABLE credentials ADD COLUMN renewed_ms bigint;
