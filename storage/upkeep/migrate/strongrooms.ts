import { Connection } from "../../sqlite/connection.ts";
import { migrate } from "../../sqlite/migrate.ts";
import { databasePath, migratingPath, refuseUnfinished } from "../../disk/data_directory.ts";
import { orMissing, syncDirectory } from "../../disk/files.ts";
import { lockDirectory } from "../../disk/lock_wait.ts";
import type { StorageOptions } from "../../stores/opening.ts";
import { DatabaseRows } from "./database_rows.ts";
import { SqliteRowEngine } from "./sqlite_row_engine.ts";

/** A strongroom as its server knows it. */
export interface Strongroom {
  readonly dataDir: string;
  readonly options: Pick<StorageOptions, "content" | "database">;
}

/** What the file system has in the root of a volume. */
const OF_FILE_SYSTEM = "lost+found";

/**
 * Opens the rows of a strongroom, and creates its tables if they are missing.
 *
 * @throws {Error} when the database cannot be used.
 */
export async function openRows({ dataDir, options }: Strongroom): Promise<DatabaseRows> {
  if (options.database === undefined) {
    const connection = new Connection(databasePath(dataDir), { readOnly: false });
    migrate(connection);
    return new DatabaseRows(new SqliteRowEngine(connection));
  }
  const { openPostgresRows } = await import("./postgres_strongroom.ts");
  return await openPostgresRows(options.database);
}

/**
 * Checks that the source is one, and that no server uses its database: the lock of the directory keeps
 * others away, but not from PostgreSQL.
 *
 * @throws {Error} that says what is wrong.
 */
export async function checkSource({ dataDir, options }: Strongroom): Promise<void> {
  await refuseUnfinished(dataDir);
  if (options.database !== undefined) {
    const { requireNoServer } = await import("./postgres_strongroom.ts");
    return await requireNoServer(options.database);
  }
  if (await orMissing(Deno.lstat(databasePath(dataDir))) === undefined) {
    throw new Error(`"${dataDir}" holds no strongroom.db: there is nothing to migrate`);
  }
}

/**
 * Keeps servers away from a source whose storage is open, until the result is disposed of. From a database in
 * the data directory, its lock does.
 *
 * @throws {Error} when one has started since {@link checkSource}.
 */
export async function holdSource({ options }: Strongroom): Promise<AsyncDisposable> {
  if (options.database === undefined) return new AsyncDisposableStack();
  const { holdDatabase } = await import("./postgres_strongroom.ts");
  return await holdDatabase(options.database);
}

/**
 * Checks that the target is empty, or what an interrupted migration has left, and keeps servers away from it
 * until {@link releaseTarget}.
 *
 * @throws {Error} that says what is wrong.
 */
export async function takeTarget(target: Strongroom): Promise<void> {
  const { dataDir, options } = target;
  await Deno.mkdir(dataDir, { recursive: true, mode: 0o700 });
  using locks = new DisposableStack();
  if (!await lockDirectory(dataDir, locks)) {
    throw new Error(`The data directory "${dataDir}" is in use by another process`);
  }
  const isResumed = await orMissing(Deno.lstat(migratingPath(dataDir))) !== undefined;
  if (!isResumed) {
    for await (const { name } of Deno.readDir(dataDir)) {
      if (name === OF_FILE_SYSTEM) continue;
      throw new Error(
        `The data directory "${dataDir}" is not empty: it holds ${JSON.stringify(name)}`,
      );
    }
  }
  if (options.database !== undefined) {
    const { takeDatabase } = await import("./postgres_strongroom.ts");
    await takeDatabase(options.database);
  }
  if (!isResumed) await Deno.writeTextFile(migratingPath(dataDir), "", { mode: 0o600 });
  await syncDirectory(dataDir);
}

/** Lets servers use the target. */
export async function releaseTarget({ dataDir, options }: Strongroom): Promise<void> {
  if (options.database !== undefined) {
    const { releaseDatabase } = await import("./postgres_strongroom.ts");
    await releaseDatabase(options.database);
  }
  await Deno.remove(migratingPath(dataDir));
  await syncDirectory(dataDir);
}
