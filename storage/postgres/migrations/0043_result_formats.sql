-- The format of the content, which rules of the policy ask for: the first scanner that reads it; NULL in results of
-- former versions.
ALTER TABLE scan_results ADD COLUMN format text;
