-- What searches find records by (C 29). See docs/design/search.md.

-- Records that have changed since their documents were made.
CREATE TABLE search_marks (
  position INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  id INTEGER NOT NULL, -- of the record, which may be gone
  parent TEXT -- its directory, if it has facts, or says that the directory is a model which consists of models
) STRICT;
CREATE INDEX search_marks_by_user ON search_marks (user_id, id);

-- The facts of the files of directories, put together.
CREATE TABLE directory_facts (
  id INTEGER PRIMARY KEY, -- of the record
  facts TEXT NOT NULL -- JSON
) STRICT;

-- The terms of documents, by the ids of records.
CREATE VIRTUAL TABLE search_terms USING fts5 (
  terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);

-- The greatest id of a record that was there before the index, and has no document; 0 without any.
ALTER TABLE storage_state ADD COLUMN unindexed INTEGER NOT NULL DEFAULT 0;
UPDATE storage_state SET unindexed = (SELECT ifnull(max(id), 0) FROM records);

-- On a nearly full disk, the index is given up: its marks would take the last free pages. Until it is made anew, all
-- records are below `storage_state.unindexed`, and none is marked. See docs/design/search.md.
CREATE TRIGGER search_added AFTER INSERT ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (NEW.user_id, NEW.id, CASE WHEN NEW.name = 'model_index.json' OR EXISTS (
    SELECT 1 FROM facts WHERE hash = NEW.hash AND user_id = NEW.user_id AND name = NEW.name
  ) THEN NEW.parent END);
END;

CREATE TRIGGER search_deleted AFTER DELETE ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (OLD.user_id, OLD.id, CASE WHEN OLD.name = 'model_index.json' OR EXISTS (
    SELECT 1 FROM facts WHERE hash = OLD.hash AND user_id = OLD.user_id AND name = OLD.name
  ) THEN OLD.parent END);
END;

CREATE TRIGGER search_changed AFTER UPDATE OF user_id, path, hash ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991
  AND (NEW.user_id, NEW.path, NEW.hash) <> (OLD.user_id, OLD.path, OLD.hash) BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (OLD.user_id, OLD.id, CASE WHEN OLD.name = 'model_index.json' OR EXISTS (
    SELECT 1 FROM facts WHERE hash = OLD.hash AND user_id = OLD.user_id AND name = OLD.name
  ) THEN OLD.parent END);
  INSERT INTO search_marks (user_id, id, parent)
  SELECT NEW.user_id, NEW.id, NEW.parent
  WHERE (NEW.user_id, NEW.parent, NEW.name, NEW.hash) IS NOT (OLD.user_id, OLD.parent, OLD.name, OLD.hash)
    AND (NEW.name = 'model_index.json' OR EXISTS (
      SELECT 1 FROM facts WHERE hash = NEW.hash AND user_id = NEW.user_id AND name = NEW.name
    ));
  -- What has changed in it before is marked with its former path.
  INSERT INTO search_marks (user_id, id, parent)
  SELECT NEW.user_id, NEW.id, NEW.path
  WHERE NEW.is_dir AND EXISTS (SELECT 1 FROM directory_facts WHERE id = NEW.id);
END;

CREATE TRIGGER search_facts_added AFTER INSERT ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = NEW.hash AND hash <> '' AND user_id = NEW.user_id AND name = NEW.name;
END;

CREATE TRIGGER search_facts_deleted AFTER DELETE ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = OLD.hash AND hash <> '' AND user_id = OLD.user_id AND name = OLD.name;
END;

CREATE TRIGGER search_facts_changed AFTER UPDATE OF facts, sha256 ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = NEW.hash AND hash <> '' AND user_id = NEW.user_id AND name = NEW.name;
END;
