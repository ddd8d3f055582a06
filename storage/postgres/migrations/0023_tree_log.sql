-- What is known of each version of a tree, and former records by their ids. See docs/design/past.md.
ALTER TABLE tree_changes ADD COLUMN author bigint; -- who made it; NULL for the user whose tree it is
ALTER TABLE tree_changes ADD COLUMN message text; -- why, if that was said
CREATE INDEX history_by_id ON history (user_id, id);

-- Says who makes the version of a tree that the current transaction makes, and why. Of a large change, it is
-- known at its end only.
CREATE FUNCTION describe_version(owner bigint, maker bigint, reason text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  made bigint := (regexp_match(
    coalesce(current_setting('strongroom.versions', true), ''), ',' || owner || '=(-?\d+)'
  ))[1];
BEGIN
  UPDATE tree_changes SET author = maker, message = reason
  WHERE user_id = owner AND (made > 0 AND version = made OR made < 0 AND change = -made);
END $$;
