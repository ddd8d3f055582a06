import * as assert from "node:assert/strict";
import { databaseAddress } from "../../../schemas/database_url.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { Database } from "../../../storage/postgres/database.ts";
import { openPostgresStore } from "../../support/postgres_store.ts";
import { Postgres } from "../../support/postgres.ts";
import { sharedPostgres } from "../../support/shared_postgres.ts";
import { TempDir } from "../../support/temp_dir.ts";

const startedPostgres = sharedPostgres();

const [KNOWN, GONE] = ["a".repeat(32), "b".repeat(32)];

/** Two users have content that was scanned under a name, and a scan of a third one waits for it. */
const ROWS = `
  INSERT INTO contents (hash, size, crc32, created_at) VALUES ('${KNOWN}', 3, 4, 5);
  INSERT INTO records
    (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
  VALUES (1, 'f', NULL, 'f', '${KNOWN}', 3, 4, FALSE, 5, 5),
    (2, 'f', NULL, 'f', '${KNOWN}', 3, 4, FALSE, 5, 5),
    (2, 'g', NULL, 'g', '${KNOWN}', 3, 4, FALSE, 5, 5),
    (2, 'again', NULL, 'again', '${KNOWN}', 3, 4, FALSE, 5, 5);
  INSERT INTO scans (user_id, requested_by, status, paths, paths_total, skip, created_at,
    files_total, bytes_total) VALUES (3, 3, 'queued', '["f"]', 1, '[]', 5, 1, 1);
  INSERT INTO scan_files (scan_id, path, name, hash, size) VALUES (1, 'f', 'f', '${KNOWN}', 3);
  INSERT INTO scan_results (hash, name, skip, version, verdict, findings, scanned_at, result)
  VALUES ('${KNOWN}', 'f', '[]', '1', 'clean', '[]', 7, '{}'),
    ('${KNOWN}', 'g', '[]', '1', 'dangerous', '[]', 8, '{}'),
    ('${KNOWN}', 'nobody''s', '[]', '1', 'clean', '[]', 7, '{}'),
    ('${GONE}', 'f', '[]', '1', 'clean', '[]', 7, '{}');
  INSERT INTO scan_attempts (hash, name, skip, attempts) VALUES ('${KNOWN}', 'f', '[]', 1);
  INSERT INTO scan_failures VALUES ('${KNOWN}', 'again', 'broken', 5);`;

const RESULTS = `SELECT user_id, name, hash, verdict, scanned_at, took_ms, result
  FROM scan_results ORDER BY user_id, name`;
const OTHERS = `SELECT 'attempt' AS kind, user_id, name FROM scan_attempts
  UNION ALL SELECT 'file', user_id, name FROM scan_files
  UNION ALL SELECT 'failure', user_id, name FROM scan_failures ORDER BY kind, user_id`;

/** Those who had scanned content keep its verdicts. What failed is tried once more. */
function checkRows(results: readonly object[], others: readonly object[]): void {
  const result = (userId: number, name: string, verdict: string, scannedAt: number) => ({
    ...{ user_id: userId, name, hash: KNOWN, verdict, scanned_at: scannedAt },
    ...{ took_ms: null, result: "{}" },
  });
  assert.deepEqual(results, [
    result(1, "f", "clean", 7),
    result(2, "f", "clean", 7),
    result(2, "g", "dangerous", 8),
    result(3, "f", "clean", 7),
  ]);
  assert.deepEqual(others, [
    ...[1, 2, 3].map((user) => ({ kind: "attempt", user_id: user, name: "f" })),
    { kind: "file", user_id: 3, name: "f" },
  ]);
}

/** The migrations of an engine before the one that gives results to users. */
async function formerMigrations(engine: "sqlite" | "postgres"): Promise<string[]> {
  const url = new URL(`../../../storage/${engine}/migrations/`, import.meta.url);
  const names = (await Array.fromAsync(Deno.readDir(url))).map(({ name }) => name).sort();
  const former = names.slice(0, names.findIndex((name) => name.includes("scans_of_users")));
  return await Promise.all(former.map((name) => Deno.readTextFile(new URL(name, url))));
}

Deno.test("C 31 who has content that was scanned keeps its verdicts at an upgrade", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  const former = await formerMigrations("sqlite");
  for (const sql of former) connection.script(`BEGIN; ${sql}; COMMIT`);
  connection.script(`${ROWS}; PRAGMA user_version = ${former.length}`);
  assert.equal(migrate(connection), former.length);
  const rows = (sql: string) => connection.all(sql).map((row) => ({ ...row }));
  checkRows(rows(RESULTS), rows(OTHERS));
});

Deno.test({
  name: "PostgreSQL C 31 who has content that was scanned keeps its verdicts at an upgrade",
  ignore: !Postgres.isInstalled,
}, async () => {
  const engine = startedPostgres();
  const url = await engine.createDatabase();
  const former = await formerMigrations("postgres");
  {
    await using database = await Database.open(databaseAddress(url), { connections: 1 });
    await database.use("writes", async (session) => {
      await session.script("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      for (const sql of former) await session.script(sql);
      await session.script(`CREATE TABLE schema_version (version integer NOT NULL);
        INSERT INTO schema_version VALUES (${former.length}); ${ROWS}`);
    });
  }
  await using store = await openPostgresStore(url);
  checkRows(await store.database.all(RESULTS, {}), await store.database.all(OTHERS, {}));
});
