import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { ChildServer } from "../support/child_server.ts";
import { FaultyProxy } from "../support/faulty_proxy.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

const FILES = 20_000;
/** The most rows of files, contents and objects that a start reads. */
const MAX_ROWS = 1000;

/** Files with content in objects. No start may look for the objects: they are not there. */
const FILL = `SET session_replication_role = replica;
  INSERT INTO contents (hash, size, crc32, created_at, object, sha256)
  SELECT md5(file::text), 100000, 1, 1, 'room/' || md5('object ' || file), sha256('x')
  FROM generate_series(1, ${FILES}) AS file;
  INSERT INTO records
    (user_id, path, parent, name, hash, size, crc32, is_dir, created_at, updated_at)
  SELECT 1, name, NULL, name, md5(file::text), 100000, 1, FALSE, 1, 1
  FROM (SELECT file, 'file' || file AS name FROM generate_series(1, ${FILES}) AS file) AS named;
  SET session_replication_role = origin;
  ANALYZE records; ANALYZE contents`;

Deno.test({
  name: "C 31 a start after a crash reads what was open, however much the engines hold",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async () => {
  const engine = startedPostgres();
  await using store = await S3Engine.start();
  await using proxy = new FaultyProxy(store.port);
  await using directory = await TempDir.make();
  const url = await engine.createEmptyDatabase();
  const start = () =>
    ChildServer.start({
      dataDir: directory.path,
      env: {
        STRONGROOM_DATABASE_URL: url,
        STRONGROOM_CONTENT_URL: store.contentUrl("room", proxy.endpoint),
        STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
      },
    });
  await using database = await Database.open(databaseAddress(url), { connections: 1 });
  {
    await using server = await start();
    const client = await server.as(1);
    assert.equal((await client.put("large", "x".repeat(200_000))).status, 201);
    await database.use("long", (session) => session.script(FILL));
    await server.end("SIGKILL");
  }
  const before = await rowsRead(database);
  proxy.requests.length = 0;
  {
    await using server = await start();
    const requests = proxy.requests.map(({ method, target }) => `${method} ${target}`);
    assert.deepEqual(requests, ["PUT /bucket/room/probe", "GET /bucket/room/strongroom"]);
    const { status } = await (await server.as(1)).file("GET", "large");
    assert.equal(status, 200);
    await server.end("SIGKILL");
  }
  const read = await rowsRead(database) - before;
  assert.ok(read < MAX_ROWS, `${read} rows of ${FILES} files were read`);
});

/** How many rows of files and their content were read, by all connections that have ended. */
async function rowsRead(database: Database): Promise<number> {
  await until(async () => {
    // The pool has one connection.
    const row = await database.get(
      `SELECT count(*) AS others FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    return row?.others === 0;
  });
  const row = await database.get(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint AS read FROM pg_stat_user_tables
     WHERE relname IN ('records', 'contents', 'objects', 'quarantine')`,
  );
  return Number(row?.read);
}
