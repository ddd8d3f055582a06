import * as assert from "node:assert/strict";
import { repositoryDigest } from "../../../core/hub/revisions.ts";
import { Postgres } from "../../support/postgres.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";

const startedPostgres = sharedPostgres();

/** The files of the repository, and what all have: little enough that an engine would read it as a whole. */
const [FILES, OTHERS] = [3000, 20_000];
const DIRECTORY = "models/team/model";
/** The rows of tables that were read from their start to their end. */
const READ = `SELECT coalesce(sum(seq_tup_read), 0) AS read FROM pg_stat_user_tables
  WHERE relname IN ('contents', 'scan_results', 'scan_failures', 'scan_files')`;

/** Adds records and contents, without the triggers. */
const FILL = `
  SET session_replication_role = replica;
  INSERT INTO contents (hash, size, crc32, created_at, bytes, sha256)
    SELECT md5(file::text), 1, 1, 1, 'x', sha256('x') FROM generate_series(1, ${OTHERS}) AS file;
  INSERT INTO scan_results (hash, user_id, name, skip, version, verdict, findings, result, scanned_at)
    SELECT hash, 2, 'other', '', '1', 'clean', '[]', '{}', 1 FROM contents;
  INSERT INTO records (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
    SELECT 1, '${DIRECTORY}/' || name, '${DIRECTORY}', name, md5(file::text), 1, 1, FALSE, 1, 1
    FROM (SELECT file, 'file' || file AS name FROM generate_series(1, ${FILES}) AS file) AS named;
  SET session_replication_role = origin;
  ANALYZE`;

Deno.test({
  name: "C 31 pages of the hub read contents and verdicts of their own files only",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using store = await openPostgresStore(await startedPostgres().createDatabase());
    const { database, hub } = store;
    const rowsRead = async () => {
      // Each connection reports what it has done when it has nothing to do.
      for (const pool of ["long", "reads"] as const) {
        await database.use(pool, (session) => session.get("SELECT pg_stat_force_next_flush()"));
      }
      return Number((await database.get(READ))?.read);
    };
    await database.use("long", (session) => session.script(FILL));
    const before = await rowsRead();
    const repository = { userId: 1, directory: DIRECTORY };
    await repositoryDigest(hub, repository);
    const page = await hub.page({
      ...repository,
      form: { kind: "tree", unscannedAs: "unscanned" },
      below: DIRECTORY,
      recursive: true,
      after: "",
      limit: 1000,
    });
    assert.equal(page.count, 1000);
    assert.equal(await rowsRead() - before, 0);
  },
});
