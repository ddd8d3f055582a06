import * as assert from "node:assert/strict";
import { databaseAddress, databaseUrl } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { ROOT, strongroom } from "../support/child_server.ts";
import { items } from "../support/client.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TcpProxy } from "../support/tcp_proxy.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

const FILES = 30;

/** How many contents outside of the database have come to a target. */
async function arrived(database: Database): Promise<number> {
  const row = await database.get("SELECT count(*) AS n FROM contents WHERE bytes IS NULL")
    // The tables are not there yet.
    .catch(() => ({ n: 0 }));
  return Number(row?.n);
}

Deno.test({
  name: "C 23 a migration that is killed is never served, and goes on where it was",
  ignore: !Postgres.isInstalled,
  async fn() {
    await using directory = await TempDir.make();
    const engine = startedPostgres();
    const [from, to] = [`${directory.path}/from`, `${directory.path}/to`];
    const contents = Array.from({ length: FILES }, (_, index) => noise(400_000, index + 1));
    {
      await using server = await TestServer.start({ dataDir: from });
      const user = await server.as(7);
      for (const [index, content] of contents.entries()) {
        assert.equal((await user.upload("d", { [`${index}`]: content })).status, 200);
      }
    }
    const address = databaseAddress(await engine.createEmptyDatabase());
    // All that a migration does passes through this process, so none ends while this one is busy.
    await using proxy = new TcpProxy(engine.port);
    const settings = `${directory.path}/new.env`;
    const variables = {
      STRONGROOM_DATA_DIR: to,
      STRONGROOM_DATABASE_URL: databaseUrl({
        ...address,
        hosts: [{ host: "127.0.0.1", port: proxy.port }],
      }),
    };
    await Deno.writeTextFile(
      settings,
      Object.entries(variables).map(([name, value]) => `${name}=${value}\n`).join(""),
    );
    await using database = await Database.open(address, { connections: 1 });
    const args = ["migrate", "--from", from, "--to", settings];
    for (const wanted of [1, 5]) {
      const process = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          `${ROOT}tests/faults/migrate_program.ts`,
          ...args.slice(1),
        ],
        stdout: "null",
        stderr: "null",
      }).spawn();
      await until(async () => await arrived(database) >= wanted);
      process.kill("SIGKILL");
      await process.status;
      assert.ok(await arrived(database) <= FILES);
      const served = await strongroom(["serve"], { ...variables, STRONGROOM_PORT: "0" });
      assert.match(served.stderr, /A strongroom is being migrated to/);
      // As if half a minute had passed: the process that was killed held a lease as a server does.
      await database.use("writes", (session) => session.run("DELETE FROM servers"));
    }
    const { code, stdout, stderr } = await strongroom(args);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Migrated 31 records with 30 files/);
    await using server = await TestServer.start({
      dataDir: to,
      settings: { databaseUrl: databaseUrl(address) },
    });
    const user = await server.as(7);
    assert.equal(items(await user.list({ recursive: "true" })).length, FILES + 1);
    for (const [index, content] of contents.entries()) {
      assert.deepEqual(await user.bytes({ path: `d/${index}` }), content);
    }
  },
});
