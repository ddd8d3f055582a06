import { PATIENT, resourceStoreSuite } from "../../conformance/resource_store_suite.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { withContents } from "../../support/referenced_contents.ts";

if (Postgres.isInstalled) {
  const engine = sharedPostgres();
  resourceStoreSuite(
    "PostgresResourceStore",
    async () => withContents(await openPostgresStore(await engine().createDatabase(), PATIENT)),
  );
}
