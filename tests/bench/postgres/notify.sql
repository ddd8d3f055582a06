-- A small transaction that notifies: pgbench -n -M prepared -c 32 -j 2 -T 5 -f …, and once more without the
-- line that notifies. Before: CREATE TABLE noted (owner bigint, body text)
\set u random(1000, 1000000)
BEGIN;
SELECT pg_advisory_xact_lock_shared(1), pg_advisory_xact_lock(100 + :u);
INSERT INTO noted (owner, body) VALUES (:u, 'x');
SELECT pg_notify('changes', :u::text);
COMMIT;
