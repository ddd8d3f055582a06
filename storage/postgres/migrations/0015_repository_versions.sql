-- The version of each repository of the hub: each change of a record in it raises it, whatever statement
-- makes the change. A repository that has not changed since this table was made has no row.
CREATE SEQUENCE repository_version;
CREATE TABLE repository_versions (
  user_id bigint NOT NULL,
  directory text COLLATE "C" NOT NULL, -- such as models/ns/name
  version bigint NOT NULL DEFAULT nextval('repository_version'),
  PRIMARY KEY (user_id, directory)
);

-- The directory of the repository that a path is in or the directory of, or NULL. No name of a repository is
-- as long as what this cuts off.
CREATE FUNCTION repository_of(path text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT CASE WHEN path LIKE 'models/%' OR path LIKE 'datasets/%'
    THEN substring(left(path, 250), '^([^/]+/[^/]+/[^/]+)(?:/|$)') END
$$;

CREATE FUNCTION raise_repositories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO repository_versions (user_id, directory)
    SELECT user_id, directory
    FROM (SELECT DISTINCT user_id, repository_of(path) AS directory FROM added) AS changed
    WHERE directory IS NOT NULL ORDER BY user_id, directory
    -- The number is taken once the row is locked: it never falls.
    ON CONFLICT (user_id, directory) DO UPDATE SET version = nextval('repository_version');
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO repository_versions (user_id, directory)
    SELECT user_id, directory
    FROM (SELECT DISTINCT user_id, repository_of(path) AS directory FROM removed) AS changed
    WHERE directory IS NOT NULL ORDER BY user_id, directory
    ON CONFLICT (user_id, directory) DO UPDATE SET version = nextval('repository_version');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER repositories_of_added AFTER INSERT ON records REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION raise_repositories();
CREATE TRIGGER repositories_of_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION raise_repositories();
CREATE TRIGGER repositories_of_changed AFTER UPDATE ON records
  REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION raise_repositories();
