-- Which records a version has added: all of them have ids from the one to the other. Other records may have, too.
ALTER TABLE tree_changes ADD COLUMN first_added INTEGER;
ALTER TABLE tree_changes ADD COLUMN last_added INTEGER;
