-- The format of the content, which rules of the policy ask for: the first scanner that reads it; NULL in results of
-- former versions.
ALTER TABLE scan_results ADD COLUMN format text;
-- The version of the facts that came with a result; 0 for none.
ALTER TABLE scan_results ADD COLUMN facts_version bigint NOT NULL DEFAULT 0;
