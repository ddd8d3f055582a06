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
