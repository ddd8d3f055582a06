-- The commit ids of repositories of the hub at versions of their trees, as far as somebody asked for them.
CREATE TABLE hub_commits (
  user_id bigint NOT NULL,
  directory text COLLATE "C" NOT NULL,
  version bigint NOT NULL, -- or the negative id of a tag
  commit_id text COLLATE "C" NOT NULL,
  modified_at bigint NOT NULL,
  PRIMARY KEY (user_id, directory, version)
);
CREATE INDEX hub_commits_by_id ON hub_commits (user_id, commit_id);
