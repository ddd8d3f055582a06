/** Servers of one database that differ, and databases of one bucket. */

import * as assert from "node:assert/strict";
import { databaseAddress } from "../../schemas/database_url.ts";
import { Database } from "../../storage/postgres/database.ts";
import { Storage } from "../../storage/stores/storage.ts";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { useDatabase } from "../support/engines.ts";
import { freePort } from "../support/ports.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { run } from "../support/tools.ts";
import { TempDir } from "../support/temp_dir.ts";

const startedPostgres = sharedPostgres();

const SECRET = "a secret that all servers of the test have";

Deno.test({
  name: "C 23 servers of one database agree on secret, gate and limits",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
  async fn() {
    const engine = startedPostgres();
    await using store = await S3Engine.start();
    await using directories = new AsyncDisposableStack();
    const url = await engine.createDatabase();
    const given = {
      STRONGROOM_DATABASE_URL: url,
      STRONGROOM_CONTENT_URL: store.contentUrl(),
      STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
      STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
      STRONGROOM_JWT_SECRET: SECRET,
      STRONGROOM_GATE: "block",
      STRONGROOM_DRAIN: "0",
    };
    const directory = async () => {
      const { path } = directories.use(await TempDir.make());
      useDatabase(path, url);
      return path;
    };
    await using one = await ChildServer.start({ dataDir: await directory(), env: given });
    const refusal = async (env: Record<string, string>) => {
      const { code, stderr } = await strongroom(["serve"], {
        ...given,
        STRONGROOM_DATA_DIR: await directory(),
        STRONGROOM_PORT: String(freePort()),
        ...env,
      });
      assert.equal(code, 1, stderr);
      return stderr;
    };
    assert.match(
      await refusal({ STRONGROOM_GATE: "off", STRONGROOM_USER_QUOTA: "1GB" }),
      /STRONGROOM_GATE is off here and block there; STRONGROOM_USER_QUOTA is 1000000000 here and none there.*STRONGROOM_ALLOW_DIFFERENT=gate,limits/,
    );
    const other = { STRONGROOM_JWT_SECRET: `${SECRET}, but this one` };
    assert.match(await refusal(other), /the key of credentials is another one/);
    assert.match(
      await refusal({ ...other, STRONGROOM_ALLOW_DIFFERENT: "gate" }),
      /ALLOW_DIFFERENT=secret/,
    );
    for (const env of [{}, { ...other, STRONGROOM_ALLOW_DIFFERENT: "secret" }]) {
      await using same = await ChildServer.start({
        dataDir: await directory(),
        env: { ...given, ...env },
      });
      assert.equal((await same.end("SIGTERM")).code, 0);
    }
    assert.equal((await one.end("SIGTERM")).code, 0);
  },
});

Deno.test({
  name: "C 23 a copy of a database is refused over the same bucket until it is adopted",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
  async fn(t) {
    const engine = startedPostgres();
    await using store = await S3Engine.start();
    await using directories = new AsyncDisposableStack();
    const content = store.content();
    const open = async (url: string) =>
      Storage.open(directories.use(await TempDir.make()).path, {
        database: databaseAddress(url),
        content,
        reserveMB: 0,
      });
    const url = await engine.createDatabase();
    await (await open(url))[Symbol.asyncDispose]();
    const restored = await engine.createEmptyDatabase();
    const dump = `${directories.use(await TempDir.make()).path}/dump`;
    const programs = [["pg_dump", "-Fc", "-f", dump, url], [
      "pg_restore",
      "-d",
      restored,
      dump,
    ]];
    for (const [program = "", ...args] of programs) {
      const { code, stderr } = await run(`${engine.programs}/${program}`, args);
      assert.equal(code, 0, stderr);
    }
    const { pathname } = new URL(url);
    const cloned = new URL(url);
    cloned.pathname = "/cloned";
    {
      const other = await engine.createDatabase();
      await using database = await Database.open(databaseAddress(other), { connections: 1 });
      await database.use(
        "long",
        (session) => session.script(`CREATE DATABASE cloned TEMPLATE ${pathname.slice(1)}`),
      );
    }
    for (const copy of [restored, cloned.href]) {
      await t.step(`${new URL(copy).pathname} is refused`, async () => {
        await assert.rejects(open(copy), /belong to another database .* strongroom adopt/);
      });
    }
    await t.step("the database itself is not", async () => {
      await (await open(url))[Symbol.asyncDispose]();
    });
    await t.step("strongroom adopt makes the copy the owner", async () => {
      const env = {
        STRONGROOM_DATABASE_URL: restored,
        STRONGROOM_CONTENT_URL: store.contentUrl("room-1"),
        STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
        STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
        STRONGROOM_DATA_DIR: directories.use(await TempDir.make()).path,
      };
      const { code, stdout, stderr } = await strongroom(["adopt"], env);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /belong to this database from now on/);
      await (await open(restored))[Symbol.asyncDispose]();
      await assert.rejects(open(url), /strongroom adopt/);
    });
  },
});
