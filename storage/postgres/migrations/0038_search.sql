-- What searches find records by (C 29). See docs/design/search.md.

-- Records that have changed since their documents were made. A row of its own for each change: a mark is removed by
-- its number, so that a change which has not been committed yet keeps its own.
CREATE TABLE search_marks (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id bigint NOT NULL,
  id bigint NOT NULL, -- of the record, which may be gone
  -- Its directory, if it has facts, or says that the directory is a model which consists of models.
  parent text COLLATE "C"
);
CREATE INDEX search_marks_by_user ON search_marks (user_id, id);

-- The facts of the files of directories, put together.
CREATE TABLE directory_facts (
  id bigint PRIMARY KEY, -- of the record
  facts text NOT NULL -- JSON
);

-- The terms of a document: the parts of three letters of its texts, and its facts as a whole. Each begins with the
-- user, so that what others have is never read. It is dear, so that no plan calls it for rows that the index knows.
CREATE FUNCTION search_terms(owner bigint, path text, facts text) RETURNS text[]
IMMUTABLE PARALLEL SAFE LANGUAGE sql COST 100000 AS $$
  SELECT array_agg(DISTINCT owner || ':' || term) FROM (
    SELECT substr(line, start, 3) AS term
    FROM string_to_table(path || E'\n' || facts, E'\n') AS line, generate_series(1, length(line) - 2) AS start
    UNION ALL SELECT '=' || line FROM string_to_table(facts, E'\n') AS line
  ) AS found
$$;

-- What there is to find of records, in lower case, on a line each: their paths with the words of cards, and their facts.
CREATE TABLE search_documents (
  id bigint PRIMARY KEY, -- of the record
  user_id bigint NOT NULL,
  path text COLLATE "C" NOT NULL,
  facts text COLLATE "C" NOT NULL
);
CREATE INDEX search_documents_by_term ON search_documents USING gin (search_terms(user_id, path, facts))
  WITH (fastupdate = off);

-- The greatest id of a record that was there before the index, and has no document; 0 without any.
ALTER TABLE storage_state ADD COLUMN unindexed bigint NOT NULL DEFAULT 0;
UPDATE storage_state SET unindexed = (SELECT coalesce(max(id), 0) FROM records);

CREATE FUNCTION mark_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_marks (user_id, id, parent)
  SELECT user_id, id, CASE WHEN name = 'model_index.json' OR EXISTS (
    SELECT FROM facts WHERE facts.hash = changed.hash AND facts.user_id = changed.user_id
      AND facts.name = changed.name
  ) THEN parent END
  FROM changed;
  RETURN NULL;
END $$;
CREATE TRIGGER search_added AFTER INSERT ON records REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_changed();
CREATE TRIGGER search_deleted AFTER DELETE ON records REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_changed();

-- The former state counts for a directory that a file with facts has left.
CREATE FUNCTION mark_updated() RETURNS trigger LANGUAGE plpgsql
-- The plan for one record is kept, and must not be quadratic for ten thousand.
SET enable_nestloop = off SET enable_hashjoin = on AS $$
BEGIN
  INSERT INTO search_marks (user_id, id, parent)
  SELECT state.user_id, state.id, CASE WHEN state.name = 'model_index.json' OR EXISTS (
    SELECT FROM facts WHERE facts.hash = state.hash AND facts.user_id = state.user_id AND facts.name = state.name
  ) THEN state.parent WHEN state.directory IS NOT NULL AND EXISTS (
    SELECT FROM directory_facts WHERE directory_facts.id = state.id
  ) THEN state.directory END
  FROM changed JOIN former USING (id), LATERAL (VALUES
    (former.user_id, id, former.parent, former.hash, former.name, NULL),
    -- What has changed in a directory before is marked with its former path.
    (changed.user_id, id, changed.parent, changed.hash, changed.name, CASE WHEN changed.is_dir THEN changed.path END)
  ) AS state (user_id, id, parent, hash, name, directory)
  WHERE (changed.user_id, changed.path, changed.hash) IS DISTINCT FROM (former.user_id, former.path, former.hash);
  RETURN NULL;
END $$;
CREATE TRIGGER search_changed AFTER UPDATE ON records REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_updated();

CREATE FUNCTION mark_facts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_marks (user_id, id, parent)
  SELECT records.user_id, records.id, records.parent
  FROM changed JOIN records ON records.hash = changed.hash AND records.user_id = changed.user_id
    AND records.name = changed.name;
  RETURN NULL;
END $$;
CREATE TRIGGER search_facts_added AFTER INSERT ON facts REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_facts();
CREATE TRIGGER search_facts_deleted AFTER DELETE ON facts REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_facts();
CREATE TRIGGER search_facts_changed AFTER UPDATE ON facts REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION mark_facts();
