-- Content is looked for in all revisions of a repository, whether or not it has been fetched: Git LFS names no revision.
DROP INDEX mirror_entries_by_content;
CREATE INDEX mirror_entries_by_content ON mirror_entries (sha256) WHERE sha256 IS NOT NULL;
