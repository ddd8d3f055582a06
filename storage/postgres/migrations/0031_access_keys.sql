-- The id of the access key of S3 that a credential is; the token of which the SHA-256 is kept. NULL for others.
ALTER TABLE credentials ADD COLUMN access_key_id text CHECK (access_key_id <> '');
