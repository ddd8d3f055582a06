/** Servers of two releases over the same engines. */

import * as assert from "node:assert/strict";
import { ChildServer, ROOT, strongroom } from "../support/child_server.ts";
import { useDatabase } from "../support/engines.ts";
import { Postgres } from "../support/postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

/** The former release. There is none with PostgreSQL yet: a commit from before the last migrations. */
const FORMER = "3bddd557";

async function git(...args: string[]): Promise<boolean> {
  return (await run("git", ["-C", ROOT, ...args])).code === 0;
}

async function isTestable(): Promise<boolean> {
  if (!Postgres.isInstalled || !S3Engine.isInstalled) return false;
  if (await git("cat-file", "-e", `${FORMER}^{commit}`)) return true;
  console.log("The history of the former release is not here: its test is skipped");
  return false;
}

Deno.test({
  name: "C 31 a server of the former release works beside a new one until migrate --finish",
  ignore: !await isTestable(),
}, async (t) => {
  await using parts = new AsyncDisposableStack();
  const engine = parts.use(await Postgres.start());
  const store = parts.use(await S3Engine.start());
  const checkout = `${parts.use(await TempDir.make()).path}/checkout`;
  assert.ok(await git("worktree", "add", "--detach", "--force", checkout, FORMER));
  parts.defer(async () => {
    await git("worktree", "remove", "--force", checkout);
  });
  const url = await engine.createEmptyDatabase();
  const env = {
    STRONGROOM_DATABASE_URL: url,
    STRONGROOM_CONTENT_URL: store.contentUrl(),
    STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
    STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
    STRONGROOM_JWT_SECRET: "a secret that both releases have, of some length",
    STRONGROOM_DRAIN: "0",
  };
  const directories = await Promise.all([0, 1].map(async () => {
    const { path } = parts.use(await TempDir.make());
    useDatabase(path, url);
    return path;
  }));
  const [before = "", after = ""] = directories;
  const startFormer = () => ChildServer.start({ dataDir: before, env, root: checkout });
  const finish = () => strongroom(["migrate", "--finish"], { ...env, STRONGROOM_DATA_DIR: after });
  let former = await startFormer();
  await using current = await (async () => {
    assert.equal((await (await former.as(1)).put("a", "from before")).status, 201);
    return await ChildServer.start({ dataDir: after, env });
  })();
  const work = async (name: string) => {
    const clients = [await former.as(1), await current.as(1)];
    for (const [index, client] of clients.entries()) {
      const path = `${name} ${index}`;
      const content = path.repeat(20_000);
      assert.equal((await client.put(`d/${path}`, content)).status, 201);
      for (const reader of clients) {
        assert.equal((await reader.file("GET", `d/${path}`)).text, content);
      }
      const moved = { source: `d/${path}`, destination: `e/${path}` };
      assert.equal((await client.json("PUT", "/resources/move", moved)).status, 200);
      for (const reader of clients) {
        assert.equal((await reader.file("GET", `e/${path}`)).text, content);
      }
    }
    const [client] = clients;
    const removed = await client?.fetch(`/resources/?path=e`, { method: "DELETE" });
    assert.equal(removed?.status, 200);
  };
  await t.step("both serve", () => work("first"));
  await t.step("one of the former release starts again", async () => {
    assert.equal((await former.end("SIGTERM")).code, 0);
    former = await startFormer();
    await work("second");
  });
  await t.step("the upgrade cannot be finished while one of them runs", async () => {
    const { code, stderr } = await finish();
    assert.equal(code, 2, stderr);
    assert.match(stderr, /Servers of an earlier version run.*: 1/);
  });
  await t.step("then none of them starts", async () => {
    assert.equal((await former.end("SIGTERM")).code, 0);
    assert.deepEqual(await finish(), {
      code: 0,
      stdout: "The upgrade is finished: servers of earlier versions do not start any more\n",
      stderr: "",
    });
    await assert.rejects(
      startFormer(),
      /The database has schema version \d+; this program supports/,
    );
    assert.equal((await finish()).stdout, "No upgrade is in progress\n");
    const client = await current.as(1);
    assert.equal((await client.file("GET", "a")).text, "from before");
  });
});
