import type { MintedCredential } from "../../core/credential_store.ts";
import { addMinted as add } from "../tables/credential_statements.ts";
import type { Database } from "./database.ts";
import { STATEMENTS } from "./statements.ts";

/** Adds a credential that an operator has minted, and forgets those that expired long ago. */
export async function addMinted(database: Database, credential: MintedCredential): Promise<void> {
  await database.use("writes", async (session) => {
    await add(
      (name, parameters) => session.all(STATEMENTS.credentials[name], parameters),
      credential,
    );
  });
}
