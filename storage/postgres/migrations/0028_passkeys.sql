-- By what people without a provider sign in (C 27).
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''), -- in base64url, as the authenticator has chosen it
  person bigint NOT NULL REFERENCES people (number),
  public_key bytea NOT NULL, -- in COSE's form
  counter bigint NOT NULL CHECK (counter >= 0), -- how often the authenticator says to have signed
  transports text NOT NULL, -- a JSON array
  label text NOT NULL, -- what the person calls it
  created_at bigint NOT NULL, -- milliseconds since the Unix epoch, as all times here
  used_at bigint
);
CREATE INDEX passkeys_by_person ON passkeys (person, created_at);

-- Links by which a person makes a passkey, once.
CREATE TABLE invitations (
  token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
  person bigint NOT NULL REFERENCES people (number),
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX invitations_by_person ON invitations (person);
