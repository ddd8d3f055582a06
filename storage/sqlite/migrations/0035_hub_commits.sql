-- The commit ids of repositories of the hub at versions of their trees, as far as somebody asked for them.
CREATE TABLE hub_commits (
  user_id INTEGER NOT NULL,
  directory TEXT NOT NULL,
  version INTEGER NOT NULL, -- or the negative id of a tag
  commit_id TEXT NOT NULL,
  modified_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, directory, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX hub_commits_by_id ON hub_commits (user_id, commit_id);
