-- How many rows a tag has: each takes bytes, as that of a directory or an empty file does.
ALTER TABLE tags ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
UPDATE tags SET records = (SELECT count(*) FROM tagged_records AS tagged WHERE tagged.tag = tags.id);
