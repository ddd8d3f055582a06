import * as assert from "node:assert/strict";
import { addMinted } from "../../../storage/postgres/credential_register.ts";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";

Deno.test({ name: "credentials in PostgreSQL", ignore: !Postgres.isInstalled }, async (t) => {
  await using engine = await Postgres.start();
  const url = await engine.createDatabase();
  const revocationsMs = 20;
  await using one = await openPostgresStore(url, { server: "one", revocationsMs });
  await using other = await openPostgresStore(url, { server: "other", revocationsMs });
  for (const store of [one, other]) await store.takeLease();

  await t.step("C 22 what operators mint is in the register", async () => {
    await using database = await Database.open(databaseAddress(url));
    const minted = { userId: 7, privileges: ["a"], trees: {}, mintedAt: 1000, expiresAt: 2000 };
    await addMinted(database, { ...minted, jti: "minted" });
    assert.equal((await one.credentials.find("minted"))?.expiresAt, 2000);
  });
  await t.step("C 22 and C 23 a revocation counts at all servers at once", async () => {
    for (let count = 0; count < 50; count++) {
      const jti = `credential ${count}`;
      const isRevoked = (jti: string) =>
        Promise.resolve(other.credentials.isRevoked({ jti, userId: 7 }));
      // Others are being looked up meanwhile.
      const others = Array.from({ length: 20 }, (_, index) => isRevoked(`other ${index}`));
      assert.equal(await isRevoked(jti), false);
      await one.credentials.revoke(jti, count);
      const more = Array.from({ length: 20 }, (_, index) => isRevoked(`other ${index}`));
      assert.equal(await isRevoked(jti), true);
      assert.ok((await Promise.all([...others, ...more])).every((revoked) => !revoked));
    }
  });
  await t.step(
    "C 22 no request passes while nobody knows whether its credential is revoked",
    async () => {
      const first = { jti: "credential 1", userId: 7 };
      await engine.kill();
      await assert.rejects(Promise.resolve(one.credentials.isRevoked(first)), {
        kind: "ErrUnavailable",
      });
      await engine.restart();
      assert.equal(await one.credentials.isRevoked(first), true);
    },
  );
});
