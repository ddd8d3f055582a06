import { ObjectGone } from "../../core/lfs_objects.ts";
import { uploadEnded } from "../../core/uploads.ts";
import type { AskedContent, ContentFacts } from "../../core/ports.ts";
import type { Session } from "./session.ts";

/**
 * The content of the tree with each of the digests, or undefined. A SHA-256 that no content has gets an MD5
 * that no content has either, and is looked up among the records all the same: the time does not tell
 * whether another tree has the content.
 */
export async function findContents(
  session: Session,
  userId: number,
  asked: readonly AskedContent[],
): Promise<(ContentFacts | undefined)[]> {
  const rows = await session.values(
    `WITH asked AS MATERIALIZED (
       SELECT position, decode(digest, 'hex') AS sha256, size,
         left(digest, 31) || 'x' AS unknown_hash
       FROM unnest(:digests::text[], :sizes::bigint[]) WITH ORDINALITY
         AS pointer (digest, size, position)
     ), named AS MATERIALIZED (
       SELECT position, asked.size AS size, coalesce(contents.hash, unknown_hash) AS hash
       FROM asked LEFT JOIN contents ON contents.sha256 = asked.sha256
     )
     SELECT position, own.hash, own.size, own.crc32 FROM named CROSS JOIN LATERAL (
       SELECT hash, size, crc32 FROM records
       WHERE records.hash = named.hash AND user_id = :user::bigint
         AND records.size = coalesce(named.size, records.size) LIMIT 1
     ) AS own`,
    {
      user: userId,
      digests: asked.map(({ sha256 }) => sha256),
      sizes: asked.map(({ size = null }) => size),
    },
  );
  const found = new Map(
    rows.map(([position, hash, size, crc32]) =>
      [Number(position), { hash: String(hash), size: Number(size), crc32: Number(crc32) }] as const
    ),
  );
  return asked.map((_, index) => found.get(index + 1));
}

/** {@link WriteTransaction.takeObjects} */
export async function takeObjects(session: Session, ids: readonly string[]): Promise<void> {
  const taken = await session.run("DELETE FROM lfs_objects WHERE id = ANY (:ids::text[])", { ids });
  if (taken < ids.length) throw new ObjectGone();
}

/** {@link WriteTransaction.completeUploads} */
export async function completeUploads(
  session: Session,
  ids: readonly string[],
  now: number,
): Promise<void> {
  const completed = await session.run(
    `UPDATE uploads SET completed_at = :now::bigint, received = size
     WHERE id = ANY (:ids::text[]) AND completed_at IS NULL`,
    { ids, now },
  );
  if (completed < ids.length) throw uploadEnded();
}
