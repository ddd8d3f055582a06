import type { MintedCredential } from "../../core/credential_store.ts";
import { CREDENTIAL_STATEMENTS, KEPT_MS, mintedParameters } from "../sql/credential_statements.ts";
import type { Database } from "./database.ts";

/** Adds a credential that an operator has minted, and forgets those that expired long ago. */
export async function addMinted(database: Database, credential: MintedCredential): Promise<void> {
  await database.use("writes", async (session) => {
    const before = credential.mintedAt - KEPT_MS;
    await session.run(CREDENTIAL_STATEMENTS.forgetCredentials, { before });
    await session.run(CREDENTIAL_STATEMENTS.addMinted, mintedParameters(credential));
  });
}
