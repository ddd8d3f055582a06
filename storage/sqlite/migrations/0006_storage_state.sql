-- What the server remembers of its storage: one row.
CREATE TABLE storage_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  generation INTEGER NOT NULL, -- the lock file has the same number, or a lower one
  scrub_started_at INTEGER NOT NULL, -- milliseconds since the Unix epoch; 0 before the first scrub
  scrubbed_to TEXT NOT NULL -- the hash that the scrub has reached
) STRICT;
INSERT INTO storage_state (id, generation, scrub_started_at, scrubbed_to) VALUES (1, 0, 0, '');

-- Content that records lack, as an operator has accepted with --accept-damage.
CREATE TABLE accepted_losses (
  hash TEXT PRIMARY KEY CHECK (length(hash) = 32)
) STRICT, WITHOUT ROWID;
