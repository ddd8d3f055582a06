-- What is known of each version of a tree, and former records by their ids. See docs/design/past.md.
ALTER TABLE tree_changes ADD COLUMN author INTEGER; -- who made it; NULL for the user whose tree it is
ALTER TABLE tree_changes ADD COLUMN message TEXT; -- why, if that was said
CREATE INDEX history_by_id ON history (user_id, id, until);
