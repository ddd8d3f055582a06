-- Events for subscribers, for some time. Each owner has a sequence of its own, in the order of commits: the
-- row of the owner is locked from when a number is taken until the transaction ends. Owner 0 is everyone.
CREATE TABLE event_channels (
  owner bigint PRIMARY KEY,
  epoch text NOT NULL, -- random, and part of each id: it tells nothing about other channels
  next bigint NOT NULL, -- the sequence number of the next event
  total bigint NOT NULL -- the bytes of all events so far
) WITH (fillfactor = 50);
INSERT INTO event_channels VALUES (0, replace(gen_random_uuid()::text, '-', ''), 1, 0);

CREATE TABLE events (
  owner bigint NOT NULL,
  sequence bigint NOT NULL,
  total bigint NOT NULL, -- the bytes of the owner's events up to this one
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  text text NOT NULL, -- what subscribers receive
  PRIMARY KEY (owner, sequence)
);
CREATE INDEX events_by_time ON events (created_at);

-- Events that have no place in the stream of everyone yet. Ids are taken under the lock of the owner, so for
-- one owner they are in the order of commits.
CREATE TABLE event_arrivals (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner bigint NOT NULL,
  first bigint NOT NULL, -- the sequence number of the first one
  count bigint NOT NULL
);

-- The stream of everyone. Places are given to what has been committed, by one transaction at a time, so no
-- event gets a place before one that was read already.
CREATE TABLE event_places (
  place bigint PRIMARY KEY, -- of the first one
  owner bigint NOT NULL,
  first bigint NOT NULL,
  count bigint NOT NULL
);
