import type { MintedCredential } from "../../core/credential_store.ts";
import { KEPT_MS, mintedParameters } from "../sql/credential_statements.ts";
import type { Database } from "./database.ts";
import { STATEMENTS } from "./statements.ts";

/** Adds a credential that an operator has minted, and forgets those that expired long ago. */
export async function addMinted(database: Database, credential: MintedCredential): Promise<void> {
  await database.use("writes", async (session) => {
    const before = credential.mintedAt - KEPT_MS;
    await session.run(STATEMENTS.credentials.forgetCredentials, { before });
    await session.run(STATEMENTS.credentials.addMinted, mintedParameters(credential));
  });
}
