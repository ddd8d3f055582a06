import type { RepositoryDirectory, RepositoryVersion, Revision } from "../../core/hub/store.ts";
import type { Database } from "./database.ts";

/**
 * The version of a repository, with what is known of it. It is another one in another run of the numbers of events,
 * too (restored.ts).
 */
export async function versionOf(
  database: Database,
  { userId, directory }: RepositoryDirectory,
): Promise<RepositoryVersion> {
  const row = await database.get(
    `SELECT (SELECT epoch FROM event_channels WHERE owner = :user::bigint) AS epoch,
       found.version, found.commit_id, found.modified_at, found.version = found.known_version AS is_known
     FROM (SELECT) AS asked LEFT JOIN repository_versions AS found
       ON found.user_id = :user::bigint AND found.directory = :directory::text`,
    { user: userId, directory },
  );
  return {
    epoch: String(row?.epoch ?? ""),
    changes: Number(row?.version ?? 0),
    ...row?.is_known === true && {
      revision: { commitId: String(row.commit_id), modifiedAt: Number(row.modified_at) },
    },
  };
}

/** Keeps the revision of a repository, if it still has the version. One that has not changed yet gets its row. */
export async function keepRevision(
  database: Database,
  { userId, directory }: RepositoryDirectory,
  { changes }: RepositoryVersion,
  { commitId, modifiedAt }: Revision,
): Promise<void> {
  await database.use("writes", (session) =>
    session.run(
      `INSERT INTO repository_versions AS known
         (user_id, directory, version, known_version, commit_id, modified_at)
       SELECT :user::bigint, :directory::text, 0, 0, :id::text, :modified::bigint
       WHERE :version::bigint = 0 OR EXISTS (
         SELECT FROM repository_versions
         WHERE user_id = :user::bigint AND directory = :directory::text AND version = :version::bigint
       )
       ON CONFLICT (user_id, directory) DO UPDATE SET known_version = :version::bigint,
         commit_id = excluded.commit_id, modified_at = excluded.modified_at
       WHERE known.version = :version::bigint`,
      { user: userId, directory, version: changes, id: commitId, modified: modifiedAt },
    ));
}
