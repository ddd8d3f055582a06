-- How many contents there are, and their bytes, in files and in the database, so that metrics need no
-- count. Triggers keep it right whatever statement changes the contents.
CREATE TABLE content_totals (
  in_file INTEGER PRIMARY KEY CHECK (in_file IN (0, 1)),
  contents INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;

INSERT INTO content_totals (in_file, contents, bytes) VALUES (0, 0, 0), (1, 0, 0);
UPDATE content_totals SET contents = found.contents, bytes = found.bytes
FROM (
  SELECT bytes IS NULL AS in_file, count(*) AS contents, sum(size) AS bytes
  FROM contents GROUP BY 1
) AS found
WHERE content_totals.in_file = found.in_file;

CREATE TRIGGER content_totals_of_added AFTER INSERT ON contents
BEGIN
  UPDATE content_totals SET contents = contents + 1, bytes = bytes + NEW.size
  WHERE in_file = (NEW.bytes IS NULL);
END;

CREATE TRIGGER content_totals_of_deleted AFTER DELETE ON contents
BEGIN
  UPDATE content_totals SET contents = contents - 1, bytes = bytes - OLD.size
  WHERE in_file = (OLD.bytes IS NULL);
END;

CREATE TRIGGER content_totals_of_changed AFTER UPDATE OF size, bytes ON contents
BEGIN
  UPDATE content_totals SET contents = contents - 1, bytes = bytes - OLD.size
  WHERE in_file = (OLD.bytes IS NULL);
  UPDATE content_totals SET contents = contents + 1, bytes = bytes + NEW.size
  WHERE in_file = (NEW.bytes IS NULL);
END;
