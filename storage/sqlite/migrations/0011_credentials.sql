-- The credentials that strongroom token minted, without the tokens, and all that were revoked.
CREATE TABLE credentials (
  jti TEXT PRIMARY KEY,
  user_id INTEGER, -- NULL if another issuer minted it
  privileges TEXT NOT NULL, -- by commas
  minted_at INTEGER, -- milliseconds since the Unix epoch
  expires_at INTEGER, -- likewise
  revoked_at INTEGER -- likewise; NULL unless it is revoked
) STRICT, WITHOUT ROWID;
