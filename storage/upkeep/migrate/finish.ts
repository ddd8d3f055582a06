import type { DatabaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../postgres/database.ts";
import { finishUpgrade } from "../../postgres/migrate.ts";

/**
 * Ends the upgrade of a database that several servers share (C 31): no server of an earlier version starts any
 * more.
 *
 * @returns whether there was anything to end.
 * @throws {Error} when such a server runs, or none of this version has started yet.
 */
export async function finish(address: DatabaseAddress): Promise<boolean> {
  await using database = await Database.open(address, { connections: 1, keepsSchema: true });
  return await database.use("long", finishUpgrade);
}
