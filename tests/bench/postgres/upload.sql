-- The transaction of an upload, in the database of sizes.sql: pgbench -n -M prepared -c 8 -j 2 -T 5 -f …
\set u random(1, 100)
\set i random(1, 1000000000)
BEGIN;
SELECT pg_advisory_xact_lock_shared(1), pg_advisory_xact_lock(100 + :u);
SELECT id FROM records WHERE user_id = :u AND left(path, 600) = 'models/organization-001' AND path = 'models/organization-001';
INSERT INTO contents (hash, size, crc32, sha256, created_at, object) VALUES (md5(:i::text || 'q'), 1, 1, sha256((:i::text || 'q')::bytea), 1, 'content/ab/' || md5(:i::text)) ON CONFLICT DO NOTHING;
INSERT INTO records (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at) VALUES (:u, 'models/organization-001/q' || :i, 'models/organization-001', 'q' || :i, md5(:i::text || 'q'), 1, 1, false, 1, 1);
COMMIT;
