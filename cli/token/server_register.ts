import type { Settings } from "../../schemas/settings.ts";
import type { CredentialRegister } from "../../storage/database/credential_register.ts";
import { databasePath } from "../../storage/disk/data_directory.ts";
import { orMissing } from "../../storage/disk/files.ts";
import { withRegister } from "../../storage/open_register.ts";
import { UsageError, withSettingContext } from "../usage_error.ts";

/** Whether a server has made its database in the data directory. */
export async function hasDatabase({ dataDir }: Settings): Promise<boolean> {
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
  work: (register: CredentialRegister) => Result,
): Promise<Result> {
  const { dataDir, diskReserveMb: reserveMB } = settings;
  if (await hasDatabase(settings)) return await withRegister(dataDir, { reserveMB }, work);
  throw new UsageError(
    `No database of a server in "${dataDir}": name its data directory with STRONGROOM_DATA_DIR`,
  );
}
