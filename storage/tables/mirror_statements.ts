import type { Dialect } from "./dialect.ts";

const REVISION =
  "id, kind, repository, commit_id, about, files, bytes, asked_first_at, asked_first_by, pinned_at, has_code";
const FETCHED = "FROM mirror_entries WHERE revision = own.id AND fetched_at IS NOT NULL";
const SHELVED = `${REVISION}, (SELECT count(*) ${FETCHED}) AS fetched_files,
  (SELECT coalesce(sum(size), 0) ${FETCHED}) AS fetched_bytes`;
const LISTED = "path, is_dir, size, blob_id, sha256";
const ENTRY = `${LISTED}, admitted_at, fetched_at, passed_on_at`;

/** All statements about mirrored repositories, by name. */
export function mirrorStatements({ rows, texts, isLeft, isOwn, take, leave }: Dialect) {
  const added = rows(":entries", {
    path: "text",
    parent: "text",
    is_dir: "bigint",
    size: "bigint",
    blob_id: "text",
    sha256: "text",
  });
  return {
    findName: `SELECT commit_id, checked_at FROM mirror_names
      WHERE kind = :kind AND repository = :repository AND name = :name`,
    listNames: `SELECT name, commit_id, checked_at FROM mirror_names
      WHERE kind = :kind AND repository = :repository ORDER BY name`,
    keepName: `INSERT INTO mirror_names (kind, repository, name, commit_id, checked_at)
      VALUES (:kind, :repository, :name, :commit, :checked)
      ON CONFLICT (kind, repository, name)
        DO UPDATE SET commit_id = excluded.commit_id, checked_at = excluded.checked_at`,
    findRevision: `SELECT ${REVISION} FROM mirror_revisions
      WHERE kind = :kind AND repository = :repository AND commit_id = :commit AND files IS NOT NULL`,
    /** Several servers may add the same one: each gets its id. */
    beginRevision: `INSERT INTO mirror_revisions
        (kind, repository, commit_id, about, asked_first_at, asked_first_by)
      VALUES (:kind, :repository, :commit, :about, :asked, :user)
      ON CONFLICT (kind, repository, commit_id) DO UPDATE SET about = excluded.about
      RETURNING id`,
    /** What an attempt has left that was broken off may be wrong. What is whole never changes. */
    addEntries: `INSERT INTO mirror_entries (revision, ${LISTED}, parent)
      SELECT CAST(:revision AS BIGINT), path, is_dir, size, blob_id, sha256, parent FROM ${added} AS added
      WHERE EXISTS (SELECT 1 FROM mirror_revisions WHERE id = :revision AND files IS NULL)
      ON CONFLICT (revision, path) DO UPDATE SET is_dir = excluded.is_dir, size = excluded.size,
        blob_id = excluded.blob_id, sha256 = excluded.sha256`,
    endRevision: `UPDATE mirror_revisions SET files = found.files, bytes = found.bytes
      FROM (SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM mirror_entries
        WHERE revision = :revision AND is_dir = 0) AS found
      WHERE id = :revision`,
    findEntries: `SELECT ${ENTRY} FROM mirror_entries
      WHERE revision = :revision AND path IN (SELECT value FROM ${texts(":paths")} AS given)
      ORDER BY path`,
    /** As a cross join, since SQLite would look at all entries of all revisions otherwise. */
    findContents: `SELECT ${REVISION}, ${ENTRY} FROM (
        SELECT *, row_number() OVER (PARTITION BY sha256
          ORDER BY CASE WHEN id = :first THEN 0 ELSE 1 END, id DESC, path) AS place
        FROM mirror_entries CROSS JOIN mirror_revisions
        WHERE id = revision AND kind = :kind AND repository = :repository AND mirror_revisions.files IS NOT NULL
          AND sha256 IN (SELECT value FROM ${texts(":sha256s")} AS given)
      ) AS found WHERE place = 1`,
    listAll: `SELECT ${ENTRY} FROM mirror_entries
      WHERE revision = :revision AND path > :after ORDER BY path LIMIT :limit`,
    listBelow: `SELECT ${ENTRY} FROM mirror_entries
      WHERE revision = :revision AND path > :after AND path > :below || '/' AND path < :below || '0'
      ORDER BY path LIMIT :limit`,
    listChildren: `SELECT ${ENTRY} FROM mirror_entries
      WHERE revision = :revision AND parent = :below AND path > :after ORDER BY path LIMIT :limit`,
    noteAsked: `UPDATE mirror_entries SET asked_at = :now
      WHERE revision = :revision AND path = :path`,
    hasContent: `SELECT 1 AS found FROM mirror_entries
      WHERE sha256 = :sha256 AND fetched_at IS NOT NULL LIMIT 1`,
    takeFetch: `UPDATE mirror_entries SET asked_at = asked_at${take}
      WHERE revision = :revision AND path = :path
        AND (${isLeft("mirror_entries")} OR ${isOwn("mirror_entries")})
      RETURNING path`,
    endFetch: `UPDATE mirror_entries SET asked_at = asked_at${leave}
      WHERE revision = :revision AND path = :path AND ${isOwn("mirror_entries")}`,
    noteAdmitted: `UPDATE mirror_entries SET admitted_at = :now
      WHERE revision = :revision AND path = :path AND admitted_at IS NULL RETURNING path`,
    noteFetched: `UPDATE mirror_entries SET fetched_at = :fetched
      WHERE revision = :revision AND path = :path`,
    notePassedOn: `UPDATE mirror_entries SET passed_on_at = :now
      WHERE revision = :revision AND path = :path AND passed_on_at IS NULL RETURNING path`,
    forgetPassedOn: `UPDATE mirror_entries SET passed_on_at = NULL
      WHERE revision = :revision AND path = :path`,
    listShelved: `SELECT ${SHELVED} FROM mirror_revisions AS own
      WHERE id < :before AND files IS NOT NULL AND (pinned_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM mirror_entries WHERE revision = own.id AND fetched_at IS NOT NULL))
      ORDER BY id DESC LIMIT :limit`,
    findShelved: `SELECT ${SHELVED} FROM mirror_revisions AS own
      WHERE id = :revision AND files IS NOT NULL`,
    pinnedBytes: `SELECT coalesce(sum(size), 0) AS bytes
      FROM mirror_entries JOIN mirror_revisions AS own ON own.id = revision
      WHERE fetched_at IS NOT NULL AND pinned_at IS NOT NULL`,
    notePinned: `UPDATE mirror_revisions SET pinned_at = :pinned WHERE id = :revision`,
    noteCode: `UPDATE mirror_revisions SET has_code = :code WHERE id = :revision`,
    forgetFetched: `UPDATE mirror_entries SET fetched_at = NULL WHERE revision = :revision`,
    leastAsked: `SELECT entry.revision, kind, repository, commit_id, path
      FROM mirror_entries AS entry JOIN mirror_revisions AS own ON own.id = entry.revision
      WHERE fetched_at IS NOT NULL AND pinned_at IS NULL
        AND (${isLeft("entry")} OR ${isOwn("entry")})
      ORDER BY asked_at, entry.revision, path LIMIT :limit`,
  } as const;
}

export type MirrorStatement = keyof ReturnType<typeof mirrorStatements>;
