-- Records that were added since the index was made, and have no document: as ranges of ids, of which a form of a hundred
-- files has one. What has facts, or changes before it has a document, is marked as well. See docs/design/search.md.
CREATE TABLE search_added (
  user_id INTEGER NOT NULL,
  last INTEGER NOT NULL,
  first INTEGER NOT NULL,
  PRIMARY KEY (user_id, last)
) STRICT, WITHOUT ROWID;

-- A large change that is undone brings back records with former ids. Ranges never overlap, so what is below one is marked.
DROP TRIGGER search_added;
CREATE TRIGGER search_added AFTER INSERT ON records
WHEN (SELECT unindexed FROM storage_state) < 9007199254740991 BEGIN
  UPDATE search_added SET last = NEW.id WHERE user_id = NEW.user_id AND last = NEW.id - 1
    AND NOT EXISTS (SELECT 1 FROM search_added WHERE user_id = NEW.user_id AND last >= NEW.id);
  INSERT INTO search_added (user_id, last, first) SELECT NEW.user_id, NEW.id, NEW.id WHERE changes() = 0
    AND NOT EXISTS (SELECT 1 FROM search_added WHERE user_id = NEW.user_id AND last >= NEW.id);
  INSERT INTO search_marks (user_id, id, parent) SELECT NEW.user_id, NEW.id, NEW.parent
  WHERE NEW.name = 'model_index.json' OR EXISTS (
    SELECT 1 FROM facts WHERE hash = NEW.hash AND user_id = NEW.user_id AND name = NEW.name
  );
  INSERT INTO search_marks (user_id, id) SELECT NEW.user_id, NEW.id
  WHERE EXISTS (SELECT 1 FROM search_added WHERE user_id = NEW.user_id AND last > NEW.id);
END;

-- Segments of the index are merged by eights instead of by fours: each document is written fewer times.
INSERT INTO search_terms (search_terms, rank) VALUES ('automerge', 8);
