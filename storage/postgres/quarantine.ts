import type { ContentAmount } from "../../core/content_changes.ts";
import type { Session } from "./session.ts";

/** Moves contents into the table `quarantine`. What that has of them leaves. */
export async function quarantineContents(
  session: Session,
  hashes: readonly string[],
): Promise<ContentAmount> {
  const parameters = { hashes, now: Date.now() };
  await session.run(
    `WITH former AS (
       DELETE FROM quarantine WHERE hash = ANY (:hashes::text[])
         AND hash IN (SELECT hash FROM contents) RETURNING object
     ) INSERT INTO objects (key, state, due_at)
     SELECT object, 'leaving', :now FROM former WHERE object IS NOT NULL`,
    parameters,
  );
  const taken = await session.values(
    `INSERT INTO quarantine (hash, size, crc32, sha256, created_at, bytes, object, taken_at)
     SELECT hash, size, crc32, sha256, created_at, bytes, object, :now FROM contents
     WHERE hash = ANY (:hashes::text[]) RETURNING size`,
    parameters,
  );
  // Their objects stay.
  await session.run("DELETE FROM contents WHERE hash = ANY (:hashes::text[])", { hashes });
  return { count: taken.length, bytes: taken.reduce((sum, [size]) => sum + Number(size), 0) };
}
