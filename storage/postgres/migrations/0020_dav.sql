-- Write locks of WebDAV (RFC 4918, 6). One that has expired counts for nothing.
CREATE TABLE locks (
  token text COLLATE "C" PRIMARY KEY,
  user_id bigint NOT NULL CHECK (user_id > 0), -- whose tree it is in
  path text COLLATE "C" NOT NULL, -- '' for the whole tree
  is_deep integer NOT NULL CHECK (is_deep IN (0, 1)), -- whether it holds what is below the path, too
  is_shared integer NOT NULL CHECK (is_shared IN (0, 1)),
  holder bigint NOT NULL CHECK (holder > 0), -- the user who has taken it
  owner text NOT NULL, -- XML
  expires_at bigint NOT NULL -- milliseconds since the Unix epoch
);
CREATE INDEX locks_by_tree ON locks (user_id);
CREATE INDEX locks_by_expiry ON locks (expires_at);

-- Properties that clients of WebDAV have set. Ids are never used again: what is left of a record that is gone
-- belongs to none, and is removed later.
CREATE TABLE properties (
  record_id bigint NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL CHECK (name <> ''),
  xml text NOT NULL, -- the whole element
  PRIMARY KEY (record_id, namespace, name)
);

-- As before, and the path '' stands for the whole tree.
CREATE OR REPLACE FUNCTION require_free(owner bigint, paths text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  busy bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM large_changes) THEN RETURN; END IF;
  SELECT change INTO busy FROM large_changes AS held, unnest(paths) AS asked
  WHERE held.user_id = owner AND (
    asked = held.path OR asked = '' OR starts_with(asked, held.path || '/')
      OR starts_with(held.path, asked || '/')
  ) LIMIT 1;
  IF busy IS NOT NULL THEN
    RAISE serialization_failure USING CONSTRAINT = 'large_changes', DETAIL = busy::text,
      MESSAGE = 'a large change of these records is going on';
  END IF;
END $$;

-- Takes the lock of a tree, or waits for it, and then looks for what clients of WebDAV have left: 1 for locks in
-- the tree, 2 for properties in any. It sees what was committed while it waited, as each query of a function does.
CREATE FUNCTION lock_tree(everyone bigint, tree bigint) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(everyone), pg_advisory_xact_lock(tree);
  RETURN (EXISTS (SELECT FROM locks WHERE user_id = tree - everyone))::integer
    + 2 * (EXISTS (SELECT FROM properties))::integer;
END $$;
