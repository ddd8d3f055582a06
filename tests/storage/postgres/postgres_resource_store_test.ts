import { resourceStoreSuite } from "../../conformance/resource_store_suite.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";

if (Postgres.isInstalled) {
  let engine: Postgres;
  Deno.test.beforeAll(async () => {
    engine = await Postgres.start();
  });
  Deno.test.afterAll(() => engine[Symbol.asyncDispose]());

  resourceStoreSuite(
    "PostgresResourceStore",
    async () => withContents(await openPostgresStore(await engine.createDatabase())),
  );
}
