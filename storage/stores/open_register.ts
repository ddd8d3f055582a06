import { hasRegister, SqliteCredentialRegister } from "../sqlite/credential_register.ts";
import type { CredentialRegister } from "../tables/credential_register.ts";
import { databasePath } from "../disk/data_directory.ts";
import { DirectoryInUse, isServed } from "../disk/lock.ts";
import type { StorageOptions } from "./opening.ts";
import { Storage } from "./storage.ts";

/** How long to wait for another process that creates the database, in milliseconds. */
const PATIENCE_MS = 15_000;
const RETRY_MS = 50;

/**
 * Runs `work` on the register of credentials of a data directory. While a server has the directory, they
 * share the database. Otherwise it is opened as a server does, so that nothing is written to one that a
 * start would refuse.
 *
 * @throws {Error} when the database cannot be opened.
 */
export async function withRegister<Result>(
  dataDir: string,
  options: StorageOptions,
  work: (register: CredentialRegister) => Promise<Result>,
): Promise<Result> {
  const path = databasePath(dataDir);
  const run = async () => {
    using register = new SqliteCredentialRegister(path);
    return await work(register);
  };
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (!await isServed(dataDir)) {
      try {
        await using _storage = await Storage.open(dataDir, options);
        return await run();
      } catch (error) {
        if (!(error instanceof DirectoryInUse)) throw error;
      }
    } else if (hasRegister(path)) return await run();
    if (performance.now() > deadline) {
      throw new Error(
        `The database of "${dataDir}" has no register of credentials: its server is of an earlier version`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
