import { databaseAddress } from "../../schemas/database_url.ts";
import { SqliteCredentialRegister } from "../../storage/database/credential_register.ts";
import { withSharedRegister } from "../../storage/shared_register.ts";
import { databaseUrlOf } from "./engines.ts";

/** Revokes a credential beside the server of a data directory, as the command line does. */
export async function revokeBeside(dataDir: string, jti: string): Promise<boolean> {
  const url = await databaseUrlOf(dataDir);
  if (url !== undefined) {
    return await withSharedRegister(
      databaseAddress(url),
      dataDir,
      async (register) => await register.revoke(jti, Date.now()),
    );
  }
  using register = new SqliteCredentialRegister(`${dataDir}/strongroom.db`);
  return register.revoke(jti, Date.now());
}
