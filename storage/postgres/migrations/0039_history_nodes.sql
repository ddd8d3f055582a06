-- Of the versions that a row of history held for, from "since" on, the one that the highest power of two divides; 0 is
-- divided by all. So the rows that hold for one version have few of these numbers. See docs/design/history.md.
ALTER TABLE history ADD COLUMN node bigint NOT NULL DEFAULT 0;

CREATE FUNCTION node_of(since bigint, until bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN since <= 0 THEN 0 ELSE
    -- Below the first bit in which the last version differs from the one before all of them, none stays.
    (until - 1) & -(1::bigint << (length(ltrim(((since - 1) # (until - 1))::bit(64)::text, '0')) - 1))
  END
$$;

-- The version that has a number: that of a large change is known once rows of it can be seen.
CREATE FUNCTION version_by(owner bigint, number bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN number >= 0 THEN number ELSE coalesce(
    (SELECT ended.version FROM tree_changes AS ended WHERE ended.user_id = owner AND ended.change = -number), number
  ) END
$$;

-- Rows in order have no numbers of large changes.
CREATE OR REPLACE FUNCTION put_in_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO history (
    user_id, until, id, since, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved, node
  )
  SELECT user_id, ended, id, begun, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at, is_moved,
    node_of(begun, ended)
  FROM (
    SELECT settled.*, version_by(user_id, since) AS begun, version_by(user_id, until) AS ended FROM settled OFFSET 0
  ) AS known;
  RETURN NULL;
END $$;

UPDATE history SET since = version_by(user_id, since), until = version_by(user_id, until)
WHERE since < 0 OR until < 0;
UPDATE history SET node = node_of(since, until) WHERE since > 0;
DROP INDEX history_by_parent;
CREATE INDEX history_by_node ON history (user_id, node, left(parent, 550), name);
DROP INDEX history_by_path;
CREATE INDEX history_by_path ON history (user_id, left(path, 600), node);
