import { dirname, resolve } from "node:path";
import { orMissing } from "../storage/disk/files.ts";
import type { Settings } from "../schemas/settings.ts";
import { UsageError, withSettingContext } from "./usage_error.ts";

/**
 * Checks that a server has made the data directory, and that it can be listed.
 *
 * @throws {UsageError} when the setting is wrong.
 */
export function checkDataDirectory(dataDir: string): Promise<void> {
  return withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "the data directory of a server",
    () => {
      for (const _entry of Deno.readDirSync(dataDir)) break;
    },
  );
}

/**
 * Checks that records are in the data directory.
 *
 * @throws {UsageError} when PostgreSQL has them, whose own tools check them and back them up.
 */
export function requireEmbeddedDatabase({ databaseUrl }: Pick<Settings, "databaseUrl">): void {
  if (databaseUrl === undefined) return;
  throw new UsageError(
    "STRONGROOM_DATABASE_URL is set, and this command is for records in the data directory: " +
      "docs/guides/operating.md says how to check and back up PostgreSQL",
  );
}

/**
 * Checks that the data directory is a directory, or missing.
 *
 * @throws {UsageError} when the setting is wrong.
 */
export function checkTarget(dataDir: string): Promise<void> {
  return withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "an empty directory, or one that can be created",
    async () => {
      if ((await orMissing(Deno.stat(dataDir)))?.isFile) throw new Error("not a directory");
    },
  );
}

/**
 * The data directory itself if it exists, or else the nearest directory above it that does. A server
 * would create the missing ones there.
 *
 * @throws {UsageError} when no directory can be created there.
 */
export function existingDirectory(dataDir: string): Promise<string> {
  return withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "a directory that can be created",
    () => nearestDirectory(dataDir),
  );
}

function nearestDirectory(path: string): string {
  try {
    if (!Deno.statSync(path).isDirectory) throw new Error("not a directory");
    return path;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return nearestDirectory(dirname(resolve(path)));
  }
}
