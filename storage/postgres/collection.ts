import { outermost } from "../../core/paths.ts";
import type {
  CollectedFile,
  CollectionRoots,
  FileCollection,
  ResourceRecord,
} from "../../core/ports.ts";
import type { AcceptedVerdicts, RefusedFile } from "../../core/verdicts.ts";
import type { Database } from "./database.ts";
import { asOf, HISTORY } from "./past.ts";
import type { PastTree } from "../tables/history_store.ts";
import { byPath, indexed, isBelow, isPath } from "./path_conditions.ts";
import type { Session, SqlParameters, SqlValue } from "./session.ts";

/** Number of files in a page. */
const PAGE_FILES = 500;
/** A collection of which nothing was read for so long has been left behind by a server that has died. */
const MAX_IDLE = "1 day";

/** Finds the files of a collection that the gate refuses. */
export type RefusedIn = (
  session: Session,
  collection: number,
  query: { readonly accepted: AcceptedVerdicts; readonly limit: number },
) => Promise<RefusedFile[]>;

/** Collects files into a table of the database (see {@link FileCollection}), in one transaction. */
export async function collectFiles(
  database: Database,
  roots: CollectionRoots,
  refusedIn: RefusedIn,
  past?: PastTree,
): Promise<FileCollection> {
  const { id, files, sharedPath } = await database.use("long", async (session) => {
    // Before the snapshot: with it, a row that another one has just removed would be a failure.
    await session.run(`WITH gone AS (
        DELETE FROM collections WHERE id IN (
          SELECT id FROM collections WHERE read_at < now() - interval '${MAX_IDLE}'
          FOR UPDATE SKIP LOCKED
        ) RETURNING id
      ) DELETE FROM collected USING gone WHERE collection = gone.id`);
    // One snapshot for all roots.
    await session.begin("REPEATABLE READ");
    const row = await session.get("INSERT INTO collections (files) VALUES (0) RETURNING id");
    const id = Number(row?.id);
    for (const root of withoutNested(roots.byPath)) {
      await collect(session, { id, past }, root, PREFER_OWN, { caller: roots.userId });
    }
    for (const root of withoutNested(roots.byId)) {
      await collect(session, { id, past }, root, NOTE_SHARED, {});
    }
    const counted = await session.get(
      `UPDATE collections SET files = (SELECT count(*) FROM collected WHERE collection = :id::bigint)
       WHERE id = :id::bigint RETURNING files`,
      { id },
    );
    const sharedPath = await findSharedPath(session, id, roots);
    await session.commit();
    return { id, files: Number(counted?.files), sharedPath };
  });
  return new StoredCollection(database, { id, files, sharedPath, refusedIn });
}

/** Adds the file, or all files below the directory. `onConflict` resolves two files at one path. */
async function collect(
  session: Session,
  { id, past }: { readonly id: number; readonly past: PastTree | undefined },
  root: ResourceRecord,
  onConflict: string,
  parameters: SqlParameters,
): Promise<void> {
  const which = root.isDir
    ? isBelow("records.path", ":path::text")
    : isPath("records.path", ":path::text");
  const { sql, parameters: named } = asOf(
    {
      sql: `INSERT INTO collected
       (collection, path, name, id, user_id, hash, size, crc32, updated_at, checked)
     SELECT :id::bigint, path, name, records.id, user_id, records.hash, records.size, records.crc32,
       updated_at, EXISTS (
         SELECT FROM contents AS content WHERE content.hash = records.hash
           AND content.size = records.size AND content.bytes IS NOT NULL
       )
     FROM records WHERE user_id = :owner::bigint AND NOT is_dir AND ${which}
     ON CONFLICT (collection, left(path, 600), path_rest(path)) DO UPDATE SET ${onConflict}`,
      parameters: { ...parameters, id, owner: root.userId, path: root.path },
    },
    past,
    root.isDir ? HISTORY.below(":path::text") : HISTORY.at(":path::text"),
  );
  await session.run(sql, named);
}

/** {@link FileCollection.sharedPath} */
async function findSharedPath(
  session: Session,
  id: number,
  roots: CollectionRoots,
): Promise<string | undefined> {
  const [shared] = await session.values(
    "SELECT path FROM collected WHERE collection = :id::bigint AND shared LIMIT 1",
    { id },
  );
  const owners = new Set([...roots.byPath, ...roots.byId].map(({ userId }) => userId));
  // Within the records of one owner, a file has no descendants (C 5.2).
  if (shared !== undefined || owners.size === 1) return pathOf(shared);
  const directories = roots.byId.filter(({ isDir }) => isDir).map(({ path }) => path);
  const [both] = await session.values(
    `SELECT path FROM collected AS file
     WHERE collection = :id::bigint AND (path = ANY (:directories::text[]) OR EXISTS (
       SELECT FROM collected AS other
       WHERE other.collection = :id::bigint AND ${isBelow("other.path", "file.path")}
     )) LIMIT 1`,
    { id, directories },
  );
  return pathOf(both);
}

function pathOf(row: readonly SqlValue[] | undefined): string | undefined {
  return row === undefined ? undefined : String(row[0]);
}

interface CollectionFacts {
  readonly id: number;
  readonly files: number;
  readonly sharedPath: string | undefined;
  readonly refusedIn: RefusedIn;
}

class StoredCollection implements FileCollection {
  readonly #database: Database;
  readonly #facts: CollectionFacts;

  constructor(database: Database, facts: CollectionFacts) {
    this.#database = database;
    this.#facts = facts;
  }

  get sharedPath(): string | undefined {
    return this.#facts.sharedPath;
  }

  pages(): AsyncGenerator<readonly CollectedFile[]> {
    return this.#pages("TRUE");
  }

  uncheckedPages(): AsyncGenerator<readonly CollectedFile[]> {
    return this.#pages("NOT checked");
  }

  async refused(accepted: AcceptedVerdicts, limit: number): Promise<RefusedFile[]> {
    const { id, refusedIn } = this.#facts;
    return await this.#database.use("long", async (session) => {
      // One snapshot for both statements.
      await session.begin("REPEATABLE READ");
      await session.run(
        `UPDATE collected SET stored_at = contents.created_at FROM contents
         WHERE collection = :id::bigint AND contents.hash = collected.hash`,
        { id },
      );
      const refused = await refusedIn(session, id, { accepted, limit });
      await session.commit();
      return refused;
    });
  }

  async setPackedSizes(sizes: ReadonlyMap<string, number>): Promise<void> {
    await this.#database.use("reads", (session) =>
      session.run(
        `UPDATE collected SET packed_size = packed.size
         FROM unnest(:paths::text[], :sizes::bigint[]) AS packed (path, size)
         WHERE collection = :id::bigint AND ${isPath("collected.path", "packed.path")}`,
        { id: this.#facts.id, paths: [...sizes.keys()], sizes: [...sizes.values()] },
      ));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { id } = this.#facts;
    await this.#database.use("reads", async (session) => {
      await session.run("DELETE FROM collected WHERE collection = :id::bigint", { id });
      await session.run("DELETE FROM collections WHERE id = :id::bigint", { id });
    });
  }

  async *#pages(condition: string): AsyncGenerator<readonly CollectedFile[]> {
    for (let after = "";;) {
      const page = await this.#page(condition, after);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.path;
    }
  }

  #page(condition: string, after: string): Promise<CollectedFile[]> {
    const { id, files } = this.#facts;
    return this.#database.use("reads", async (session) => {
      const [present, rows] = await Promise.all([
        session.run("UPDATE collections SET read_at = now() WHERE id = :id::bigint", { id }),
        session.values(
          `SELECT user_id, path, hash, size, crc32, updated_at, stored_at, packed_size
           FROM collected
           WHERE collection = :id::bigint AND ${condition}
             AND ${indexed("path")} >= ${indexed(":after::text")} AND path > :after::text
           ORDER BY ${byPath("path")} LIMIT ${PAGE_FILES}`,
          { id, after },
        ),
      ]);
      if (present === 0 && files > 0) {
        throw new Error("The engine has lost the files of an archive");
      }
      return rows.map(toCollectedFile);
    });
  }
}

function toCollectedFile(row: readonly SqlValue[]): CollectedFile {
  const [userId, path, hash, size, crc32, updatedAt, storedAt, packedSize] = row;
  return {
    userId: Number(userId),
    path: String(path),
    hash: String(hash),
    size: Number(size),
    crc32: Number(crc32),
    updatedAt: Number(updatedAt),
    storedAt: storedAt === null ? null : Number(storedAt),
    packedSize: packedSize === null ? null : Number(packedSize),
  };
}

/** The records without those that are below another one of the same owner. */
function withoutNested(records: readonly ResourceRecord[]): ResourceRecord[] {
  const byOwner = Map.groupBy(records, ({ userId }) => userId);
  return [...byOwner.values()].flatMap((owned) => {
    const kept = new Set(outermost(owned.map(({ path }) => path)));
    return owned.filter(({ path }) => kept.has(path));
  });
}

/** RS 4.7.5: of two files found by path, keeps the caller's own, or else the one RS 1.4 prefers. */
const PREFER_OWN = `
  id = excluded.id, user_id = excluded.user_id, hash = excluded.hash, size = excluded.size,
  crc32 = excluded.crc32, updated_at = excluded.updated_at, checked = excluded.checked
  WHERE (excluded.user_id = :caller::bigint, excluded.updated_at, -excluded.id)
    > (collected.user_id = :caller::bigint, collected.updated_at, -collected.id)`;

/** RS 4.7.5: a record collected twice counts once; a different record found by id is a conflict. */
const NOTE_SHARED = "shared = TRUE WHERE collected.id <> excluded.id";
