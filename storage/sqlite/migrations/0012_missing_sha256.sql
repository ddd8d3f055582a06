-- Finds content that was stored before SHA-256 was kept.
CREATE INDEX contents_without_sha256 ON contents (hash) WHERE sha256 IS NULL;
