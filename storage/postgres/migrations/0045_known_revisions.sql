-- The commit id of a large repository, as a server has computed it of all files: others need not, nor does the next
-- start. It is that of the version that is known; any change raises the version, and so ends it. See docs/design/hub.md.
ALTER TABLE repository_versions
  ADD COLUMN known_version bigint,
  ADD COLUMN commit_id text COLLATE "C",
  ADD COLUMN modified_at bigint;

-- A repair may give content another SHA-256, which changes no record.
CREATE FUNCTION forget_revisions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE repository_versions SET known_version = NULL WHERE known_version IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER revisions_of_contents AFTER UPDATE OF sha256 ON contents
  FOR EACH ROW WHEN (OLD.sha256 <> NEW.sha256) EXECUTE FUNCTION forget_revisions();

-- A function whose parts are not all immutable is called for each entry of an index, which takes a microsecond; one
-- whose parts are is computed in place. Its values stay as they are. Its body is bound now: a restore finds no names.
CREATE FUNCTION path_digest(path text) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql
  RETURN sha256(convert_to(path, 'UTF8'));
CREATE OR REPLACE FUNCTION path_rest(path text) RETURNS bytea IMMUTABLE PARALLEL SAFE LANGUAGE sql
  RETURN CASE WHEN length(path) > 600 THEN path_digest(path) ELSE ''::bytea END;
