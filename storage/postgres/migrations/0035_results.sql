
-- The version of the facts that came with a result; 0 for none.
ALTER TABLE scan_results ADD COLUMN facts_version bigint NOT NULL DEFAULT 0;
