-- Fills an empty database, to which the migrations of storage/postgres/ have been applied, with 10^6
-- records: 100 trees of 100 directories with 99 files each, every file with content of its own in an object
-- store. Prints the bytes of tables and indexes for each record, and of the log for each upload and for a
-- move of 10 000 records. docs/guides/scaling.md has the results.
--
--   psql -d scaling -f tests/bench/postgres/sizes.sql

\set ON_ERROR_STOP 1
\pset footer off
SET synchronous_commit = off;
-- What is added is sound: no trigger needs to check it.
SET session_replication_role = replica;

CREATE TEMP TABLE files AS
SELECT u, 'models/organization-' || lpad(d::text, 3, '0') AS parent,
  'model-' || lpad(f::text, 5, '0') || '-of-00099.safetensors' AS name, md5(u || '/' || d || '/' || f) AS hash
FROM generate_series(1, 100) u, generate_series(1, 100) d, generate_series(1, 99) f ORDER BY d, u, f;

INSERT INTO contents (hash, size, crc32, sha256, created_at, object)
SELECT hash, 1000000, 12345678, sha256(hash::bytea), 1790000000000,
  'content/' || substr(hash, 1, 2) || '/' || md5(hash)
FROM files ORDER BY sha256(hash::bytea);

CREATE FUNCTION pg_temp.add_directories(parent text, names text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO records (user_id, path, parent, name, size, crc32, is_dir, created_at, updated_at)
  SELECT u, coalesce(parent || '/', '') || name, parent, name, 0, 0, true, 1790000000000, 1790000000000
  FROM generate_series(1, 100) u, unnest(names) AS name
$$;
SELECT pg_temp.add_directories(NULL, ARRAY['models']);
SELECT pg_temp.add_directories('models', array_agg('organization-' || lpad(d::text, 3, '0')))
FROM generate_series(1, 100) d;

INSERT INTO records (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
SELECT u, parent || '/' || name, parent, name, hash, 1000000, 12345678, false, 1790000000000, 1790000000000
FROM files;

VACUUM ANALYZE records;
VACUUM ANALYZE contents;
SELECT relname, round(pg_relation_size(oid) / 1e6, 1) AS bytes_per_record
FROM pg_class WHERE relname ~ '^(records|contents)(_|$)' AND relkind IN ('r', 'i') ORDER BY relname;

-- Here all trees have the same paths, which an index keeps once. They usually differ.
CREATE INDEX different_paths ON records (left(path || user_id, 600));
SELECT 'records_by_path, all paths different' AS relname,
  round(pg_relation_size('different_paths') / 1e6, 1) AS bytes_per_record;
DROP INDEX different_paths;

CREATE FUNCTION pg_temp.upload(prefix text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..1000 LOOP
    INSERT INTO contents (hash, size, crc32, sha256, created_at, object)
    VALUES (md5(prefix || i), 1, 1, sha256((prefix || i)::bytea), 1, 'content/ab/' || md5(i::text));
    INSERT INTO records (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
    VALUES (1 + i % 100, 'models/organization-001/' || prefix || i, 'models/organization-001', prefix || i,
      md5(prefix || i), 1, 1, false, 1, 1);
  END LOOP;
END $$;

SET session_replication_role = origin;
CHECKPOINT;
SELECT pg_current_wal_insert_lsn() AS start \gset
SELECT pg_temp.upload('a');
SELECT round((pg_current_wal_insert_lsn() - :'start') / 1000) AS log_per_upload_after_checkpoint;

SET wal_compression = off;
ALTER SYSTEM SET full_page_writes = off;
SELECT pg_reload_conf(), pg_sleep(1);
SELECT pg_current_wal_insert_lsn() AS start \gset
SELECT pg_temp.upload('b');
SELECT round((pg_current_wal_insert_lsn() - :'start') / 1000) AS log_per_upload_without_pages;
SELECT pg_current_wal_insert_lsn() AS start, pg_total_relation_size('records') AS size \gset
BEGIN;
UPDATE records SET path = 'm' || path, parent = 'm' || parent WHERE user_id = 7 AND parent IS NOT NULL;
ROLLBACK;
SELECT round((pg_current_wal_insert_lsn() - :'start') / 10000) AS log_per_moved_record_without_pages,
  round((pg_total_relation_size('records') - :size) / 10000) AS growth_per_moved_record;
ALTER SYSTEM RESET full_page_writes;
SELECT pg_reload_conf();
