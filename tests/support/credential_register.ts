import { databaseAddress } from "../../schemas/database_url.ts";
import { STATEMENTS } from "../../storage/sqlite/statements.ts";
import { withSharedRegister } from "../../storage/stores/shared_register.ts";
import { databaseUrlOf } from "./engines.ts";
import { openSqlite } from "./test_database.ts";

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
  await using database = openSqlite(`${dataDir}/strongroom.db`);
  const revoked = await database.all(STATEMENTS.credentials.revokeCredential, {
    jti,
    now: Date.now(),
  });
  return revoked.length > 0;
}
