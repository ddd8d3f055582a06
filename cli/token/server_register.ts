import { databaseOf } from "../../schemas/database_url.ts";
import type { Settings } from "../../schemas/settings.ts";
import { databasePath } from "../../storage/disk/data_directory.ts";
import { orMissing } from "../../storage/disk/files.ts";
import type { CredentialRegister } from "../../storage/tables/credential_register.ts";
import { withRegister } from "../../storage/stores/open_register.ts";
import { UsageError, withSettingContext } from "../usage_error.ts";

/** Whether there is a database of a server: one that the settings name, or in the data directory. */
export async function hasDatabase({ dataDir, databaseUrl }: Settings): Promise<boolean> {
  if (databaseUrl !== undefined) return true;
  const found = await withSettingContext(
    "STRONGROOM_DATA_DIR",
    dataDir,
    "the data directory of a server",
    () => orMissing(Deno.lstat(databasePath(dataDir))),
  );
  return found !== undefined;
}

/**
 * Runs `work` on the register of credentials of a server.
 *
 * @throws {UsageError} when the data directory has no database, which only a server makes.
 */
export async function withServerRegister<Result>(
  settings: Settings,
  work: (register: CredentialRegister) => Promise<Result>,
): Promise<Result> {
  const { dataDir, diskReserveMb: reserveMB } = settings;
  const database = databaseOf(settings);
  if (database !== undefined) {
    const { withSharedRegister } = await import("../../storage/stores/shared_register.ts");
    return await withSharedRegister(database, dataDir, work);
  }
  if (await hasDatabase(settings)) return await withRegister(dataDir, { reserveMB }, work);
  throw new UsageError(
    `No database of a server in "${dataDir}": name its data directory with STRONGROOM_DATA_DIR`,
  );
}
