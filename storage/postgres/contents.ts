import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Chunk } from "../../core/content.ts";
import type { ContentRow, FoundContents } from "../../core/content_changes.ts";
import { forgedMd5 } from "../content/forged_md5.ts";
import { isUnreferenced } from "../tables/references.ts";
import { POSTGRES } from "./dialect.ts";
import { beginLeaving, endArrivals } from "./objects.ts";
import type { Session, SqlValue } from "./session.ts";

/**
 * Adds contents, and locks their rows until the transaction ends: nothing removes them before. See
 * `ContentChanges.put`.
 * See docs/design/content_of_several_servers.md.
 */
export async function putContents(
  session: Session,
  contents: readonly ContentRow[],
  now: number,
): Promise<FoundContents> {
  const inFiles = new Set<string>();
  const damaged = new Map<string, string>();
  // All transactions lock rows in the same order, so that none waits for another in a circle.
  const sorted = contents.toSorted((a, b) => a.hash < b.hash ? -1 : 1);
  const arrived = endArrivals(session, contents.flatMap(({ object = [] }) => object));
  const put = async (content: ContentRow) => {
    const stored = await addOrLock(session, content, now);
    if (stored === "added") return;
    if (stored.object !== undefined) await replaceObject(session, content, stored);
    else if (stored.bytes === undefined) {
      if (content.bytes !== undefined) inFiles.add(content.hash);
      if (!stored.isDigested) await addSha256(session, content);
    } else if (content.bytes === undefined || Buffer.compare(stored.bytes, content.bytes) !== 0) {
      const known = createHash("md5").update(stored.bytes).digest("hex");
      if (known === content.hash) throw forgedMd5(content.hash);
      damaged.set(content.hash, known);
      await replaceContent(session, content);
    }
  };
  await Promise.all([
    arrived,
    ...Map.groupBy(sorted, ({ hash }) => hash).values().map(async (same) => {
      // What came twice has two objects: the second one sees that of the first.
      for (const content of same) await put(content);
    }),
  ]);
  return { inFiles, damaged };
}

/** Adds the row of content. Returns whether there was none. */
async function insertContent(
  session: Session,
  content: ContentRow,
  now: number,
): Promise<boolean> {
  const { hash, size, crc32, sha256, bytes = null, object = null } = content;
  const added = await session.run(
    `INSERT INTO contents (hash, size, crc32, sha256, created_at, bytes, object)
     VALUES (:hash::text, :size::bigint, :crc32::bigint, :sha256::bytea, :now::bigint, :bytes::bytea,
       :object::text)
     ON CONFLICT (hash) DO NOTHING`,
    { hash, size, crc32, sha256, now, bytes, object },
  );
  return added > 0;
}

/** What is stored of content. */
interface Stored {
  readonly bytes: Chunk | undefined;
  readonly object: string | undefined;
  /** Whether the size and the SHA-256 are those that were asked for, as far as they are known. */
  readonly same: boolean;
  /** Whether its SHA-256 is known. */
  readonly isDigested: boolean;
}

/**
 * Adds the row of content, or locks the one that is there. Of several transactions with an object for the
 * content, each sees that of the one before.
 */
async function addOrLock(
  session: Session,
  content: ContentRow,
  now: number,
): Promise<Stored | "added"> {
  for (;;) {
    const added = insertContent(session, content, now);
    // The row of large content is short, so it is read without knowing yet whether it was there.
    const locked = content.bytes === undefined ? lockContent(session, content) : undefined;
    // A new file makes a row true again whose file was missing.
    const renewed = content.isNew === true ? renewContent(session, content) : undefined;
    const [isAdded, early] = await Promise.all([added, locked, renewed]);
    if (isAdded) return "added";
    // It may have been removed in between.
    const stored = early ?? await lockContent(session, content);
    if (stored !== undefined) return stored;
  }
}

/** Locks the row of content. Returns what is stored, or undefined if there is no row. */
async function lockContent(session: Session, content: ContentRow): Promise<Stored | undefined> {
  const lock = content.object === undefined ? "KEY SHARE" : "NO KEY UPDATE";
  const [row] = await session.values(
    `SELECT bytes, object, size = :size::bigint AND coalesce(sha256 = :sha256::bytea, TRUE),
       sha256 IS NOT NULL
     FROM contents WHERE hash = :hash::text FOR ${lock}`,
    { hash: content.hash, size: content.size, sha256: content.sha256 },
  );
  if (row === undefined) return undefined;
  const [bytes, object, same, isDigested] = row;
  return {
    bytes: toBytes(bytes),
    object: typeof object === "string" ? object : undefined,
    same: same === true,
    isDigested: isDigested === true,
  };
}

/** Notes what a new file has, for content that is in files. */
async function renewContent(session: Session, content: ContentRow): Promise<void> {
  const { hash, size, crc32, sha256 } = content;
  await session.run(
    `UPDATE contents SET size = :size::bigint, crc32 = :crc32::bigint, sha256 = :sha256::bytea,
       created_at = :now::bigint
     WHERE hash = :hash::text AND bytes IS NULL AND object IS NULL`,
    { hash, size, crc32, sha256, now: Date.now() },
  );
}

/**
 * Replaces the object of content by the one that has just been received: if the former one is damaged or
 * lost, that repairs it.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when the object holds other content.
 */
async function replaceObject(
  session: Session,
  { hash, object }: ContentRow,
  { object: former = "", same }: Stored,
): Promise<void> {
  if (!same || object === undefined) throw forgedMd5(hash);
  await session.run("UPDATE contents SET object = :object::text WHERE hash = :hash::text", {
    hash,
    object,
  });
  await beginLeaving(session, [former]);
}

/** Adds rows of contents whose files are to come. Those that have a row keep it as it is. */
export async function announceContents(
  session: Session,
  contents: readonly ContentRow[],
  now: number,
): Promise<void> {
  await session.run(
    `INSERT INTO contents (hash, size, crc32, sha256, created_at)
     SELECT hash, size, crc32, decode(sha256, 'hex'), :now::bigint
     FROM unnest(:hashes::text[], :sizes::bigint[], :crc32s::bigint[], :sha256s::text[])
       AS content (hash, size, crc32, sha256)
     ORDER BY hash ON CONFLICT DO NOTHING`,
    {
      hashes: contents.map(({ hash }) => hash),
      sizes: contents.map(({ size }) => size),
      crc32s: contents.map(({ crc32 }) => crc32),
      sha256s: contents.map(({ sha256 }) => Buffer.from(sha256).toString("hex")),
      now,
    },
  );
}

/** Adds the SHA-256 of content that was stored before it was kept. */
async function addSha256(session: Session, { hash, sha256 }: ContentRow): Promise<void> {
  await session.run(
    `UPDATE contents SET sha256 = :sha256::bytea WHERE hash = :hash::text AND sha256 IS NULL`,
    { hash, sha256 },
  );
}

/** Replaces what is stored under a hash. */
export async function replaceContent(session: Session, content: ContentRow): Promise<void> {
  const { hash, size, crc32, sha256, bytes = null, object = null } = content;
  await session.run(
    `UPDATE contents SET size = :size::bigint, crc32 = :crc32::bigint, bytes = :bytes::bytea,
       sha256 = :sha256::bytea, object = :object::text, created_at = :now::bigint
     WHERE hash = :hash::text`,
    { hash, size, crc32, sha256, bytes, object, now: Date.now() },
  );
}

/** Removes the rows of contents, whose locks {@link unreferencedOf} has taken. Their objects leave. */
export async function removeContents(session: Session, hashes: readonly string[]): Promise<void> {
  const removed = await session.values(
    "DELETE FROM contents WHERE hash = ANY (:hashes::text[]) RETURNING object",
    { hashes },
  );
  await beginLeaving(
    session,
    removed.flatMap(([object]) => typeof object === "string" ? object : []),
  );
}

/**
 * Contents that have lost a record, and that no transaction has looked at since, those first that wait
 * longest. What another server is looking at is left to it.
 */
export async function droppedContents(session: Session, limit: number): Promise<string[]> {
  const rows = await session.values(
    `SELECT DISTINCT hash FROM (
       SELECT hash FROM dropped ORDER BY id LIMIT :limit::bigint FOR UPDATE SKIP LOCKED
     ) AS oldest`,
    { limit },
  );
  return rows.map(([hash]) => String(hash));
}

/**
 * Those of the hashes that no record has, and that no other transaction publishes or removes now: from
 * now on, others wait until this transaction has ended. It removes what `dropped` had of them before. What
 * others have locked stays there.
 */
export async function unreferencedOf(
  session: Session,
  hashes: readonly string[],
): Promise<string[]> {
  if (hashes.length === 0) return [];
  const [taken, added, locked] = await Promise.all([
    session.values(
      "SELECT id FROM dropped WHERE hash = ANY (:hashes::text[]) ORDER BY id FOR UPDATE SKIP LOCKED",
      { hashes },
    ),
    // A missing row cannot be locked. A publication has to wait for a row that is being added.
    session.values(
      `INSERT INTO contents (hash, size, crc32, created_at)
       SELECT asked.hash, 0, 0, 0 FROM unnest(:hashes::text[]) AS asked (hash)
       WHERE NOT EXISTS (SELECT FROM contents WHERE contents.hash = asked.hash)
       ORDER BY asked.hash ON CONFLICT DO NOTHING RETURNING hash`,
      { hashes },
    ),
    session.values(
      `SELECT hash FROM contents WHERE hash = ANY (:hashes::text[])
       ORDER BY hash FOR UPDATE SKIP LOCKED`,
      { hashes },
    ),
  ]);
  const looked = locked.map(([hash]) => String(hash));
  const [rows] = await Promise.all([
    // A record that was committed while those before waited is seen by a statement that begins after them only.
    session.values(
      `SELECT asked.hash FROM unnest(:looked::text[]) AS asked (hash)
       WHERE ${isUnreferenced(POSTGRES, "asked.hash")}`,
      { looked },
    ),
    // By id: what was dropped since may be a record that the statement before has seen.
    session.run(
      "DELETE FROM dropped WHERE id = ANY (:taken::bigint[]) AND hash = ANY (:looked::text[])",
      { taken: taken.map(([id]) => Number(id)), looked },
    ),
    added.length === 0 ? [] : removeContents(session, added.map(([hash]) => String(hash))),
  ]);
  return rows.map(([hash]) => String(hash));
}

/** The value of a column of bytes. */
export function toBytes(value: SqlValue | undefined): Chunk | undefined {
  return value instanceof Uint8Array ? value : undefined;
}
