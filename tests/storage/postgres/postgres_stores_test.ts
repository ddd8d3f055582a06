import { credentialStoreSuite } from "../../conformance/credential_store_suite.ts";
import { historySuite } from "../../conformance/history_suite.ts";
import { hubStoreSuite } from "../../conformance/hub_store_suite.ts";
import { logSuite } from "../../conformance/log_suite.ts";
import { linkStoreSuite } from "../../conformance/link_store_suite.ts";
import { mirrorStoreSuite } from "../../conformance/mirror_store_suite.ts";
import { objectTableSuite } from "../../conformance/object_table_suite.ts";
import { peopleStoreSuite } from "../../conformance/people_store_suite.ts";
import { scanResultsSuite } from "../../conformance/scan_results_suite.ts";
import { scanStoreSuite } from "../../conformance/scan_store_suite.ts";
import { searchIndexSuite } from "../../conformance/search_index_suite.ts";
import { davStoreSuite } from "../../conformance/dav_store_suite.ts";
import { sessionStoreSuite } from "../../conformance/session_store_suite.ts";
import { sharesSuite } from "../../conformance/shares_suite.ts";
import { trashSuite } from "../../conformance/trash_suite.ts";
import { uploadStoreSuite } from "../../conformance/upload_store_suite.ts";
import { upkeepStoreSuite } from "../../conformance/upkeep_store_suite.ts";
import { verdictStoreSuite } from "../../conformance/verdict_store_suite.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { openPostgresStores } from "../../support/stores.ts";

if (Postgres.isInstalled) {
  const server = sharedPostgres();
  const engine = {
    name: "PostgreSQL",
    open: async () => openPostgresStores(await server().createDatabase()),
  };
  credentialStoreSuite(engine);
  hubStoreSuite(engine);
  historySuite({
    name: "PostgreSQL",
    open: async () => openPostgresStores(await server().createDatabase()),
  });
  historySuite({
    name: "PostgreSQL in large changes",
    open: async () =>
      openPostgresStores(await server().createDatabase(), {
        maxDirectRecords: 2,
      }),
  });
  linkStoreSuite(engine);
  logSuite(engine);
  mirrorStoreSuite(engine);
  objectTableSuite(engine);
  peopleStoreSuite(engine);
  scanResultsSuite(engine);
  scanStoreSuite(engine);
  searchIndexSuite(engine);
  davStoreSuite(engine);
  sessionStoreSuite(engine);
  sharesSuite(engine);
  trashSuite(engine);
  uploadStoreSuite(engine);
  upkeepStoreSuite(engine);
  verdictStoreSuite(engine);
}
