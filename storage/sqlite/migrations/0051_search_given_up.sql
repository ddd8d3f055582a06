-- On a nearly full disk, the index of searches is given up: its marks would take the last free pages. Until it is made
-- anew, all records are below `storage_state.unindexed`, and none is marked. See docs/design/search.md.

DROP TRIGGER search_added;
CREATE TRIGGER search_added AFTER INSERT ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (NEW.user_id, NEW.id, CASE WHEN EXISTS (
    SELECT 1 FROM facts WHERE hash = NEW.hash AND user_id = NEW.user_id AND name = NEW.name
  ) THEN NEW.parent END);
END;

DROP TRIGGER search_deleted;
CREATE TRIGGER search_deleted AFTER DELETE ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (OLD.user_id, OLD.id, CASE WHEN EXISTS (
    SELECT 1 FROM facts WHERE hash = OLD.hash AND user_id = OLD.user_id AND name = OLD.name
  ) THEN OLD.parent END);
END;

DROP TRIGGER search_changed;
CREATE TRIGGER search_changed AFTER UPDATE OF user_id, path, hash ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991
  AND (NEW.user_id, NEW.path, NEW.hash) <> (OLD.user_id, OLD.path, OLD.hash) BEGIN
  INSERT INTO search_marks (user_id, id, parent) VALUES (OLD.user_id, OLD.id, CASE WHEN EXISTS (
    SELECT 1 FROM facts WHERE hash = OLD.hash AND user_id = OLD.user_id AND name = OLD.name
  ) THEN OLD.parent END);
  INSERT INTO search_marks (user_id, id, parent)
  SELECT NEW.user_id, NEW.id, NEW.parent
  WHERE (NEW.user_id, NEW.parent, NEW.name, NEW.hash) IS NOT (OLD.user_id, OLD.parent, OLD.name, OLD.hash)
    AND EXISTS (SELECT 1 FROM facts WHERE hash = NEW.hash AND user_id = NEW.user_id AND name = NEW.name);
END;

DROP TRIGGER search_facts_added;
CREATE TRIGGER search_facts_added AFTER INSERT ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = NEW.hash AND hash <> '' AND user_id = NEW.user_id AND name = NEW.name;
END;

DROP TRIGGER search_facts_deleted;
CREATE TRIGGER search_facts_deleted AFTER DELETE ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = OLD.hash AND hash <> '' AND user_id = OLD.user_id AND name = OLD.name;
END;

DROP TRIGGER search_facts_changed;
CREATE TRIGGER search_facts_changed AFTER UPDATE OF facts, sha256 ON facts
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  INSERT INTO search_marks (user_id, id, parent) SELECT user_id, id, parent FROM records
  WHERE hash = NEW.hash AND hash <> '' AND user_id = NEW.user_id AND name = NEW.name;
END;
