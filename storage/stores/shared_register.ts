import type { DatabaseAddress } from "../../schemas/database_url.ts";
import type { CredentialRegister } from "../tables/credential_register.ts";
import { addMinted } from "../postgres/credential_register.ts";
import { PostgresResourceStore } from "../postgres/postgres_resource_store.ts";

/** How many credentials are listed at once. */
const PAGE_LIMIT = 500;

/** Runs `work` on the register of credentials in a PostgreSQL database, beside its servers. */
export async function withSharedRegister<Result>(
  address: DatabaseAddress,
  dataDir: string,
  work: (register: CredentialRegister) => Promise<Result>,
): Promise<Result> {
  await using records = await PostgresResourceStore.open(address, {
    connections: 1,
    temporaryDirectory: `${dataDir}/tmp`,
  });
  const { credentials, database, people, signIns } = records;
  return await work({
    people,
    signIns,
    add: (credential) => addMinted(database, credential),
    async revoke(jti, now) {
      const isNew = (await credentials.find(jti))?.revokedAt === undefined;
      await credentials.revoke(jti, now);
      return isNew;
    },
    revokeUser: (...given) => credentials.revokeUser(...given),
    async *list() {
      let before: string | undefined;
      for (;;) {
        const page = await credentials.list({
          limit: PAGE_LIMIT,
          ...before !== undefined && { before },
        });
        yield* page;
        if (page.length < PAGE_LIMIT) return;
        before = page.at(-1)?.jti;
      }
    },
  });
}
