-- Credentials that users mint of their own (C 22): of which one, for what, and with which quota.
ALTER TABLE credentials ADD COLUMN parent TEXT; -- the jti of the credential that minted it, if one did
ALTER TABLE credentials ADD COLUMN label TEXT;
ALTER TABLE credentials ADD COLUMN quota INTEGER; -- bytes; NULL for that of the settings, and if unknown
-- When it was minted, or became known. Credentials of other issuers are known once they are revoked.
ALTER TABLE credentials ADD COLUMN known_at INTEGER
  GENERATED ALWAYS AS (coalesce(minted_at, revoked_at, 0)) VIRTUAL;
CREATE INDEX credentials_by_time ON credentials (known_at, jti);
CREATE INDEX credentials_by_user ON credentials (user_id, known_at, jti);
CREATE INDEX credentials_by_parent ON credentials (parent) WHERE parent IS NOT NULL;
CREATE INDEX credentials_by_expiry ON credentials (expires_at);
