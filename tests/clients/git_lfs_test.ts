import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { HubClient, lfsObject } from "../support/hub.ts";
import { CountingProxy } from "../support/counting_proxy.ts";
import { bareRepository, Clone } from "../support/git_clone.ts";
import { modelFile } from "../support/models.ts";
import { noise } from "../support/random.ts";
import { ScanRoom } from "../support/scan_room.ts";
import {
  mintToken,
  TestServer,
  type TestServerOptions,
  USER_PRIVILEGES,
} from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const ignore = !await hasProgram("git", "lfs", "version");

/** A server, and the first clone of an empty repository. */
async function start(stack: AsyncDisposableStack, options: TestServerOptions = {}) {
  const directory = stack.use(await TempDir.make());
  const server = stack.use(await TestServer.start(options));
  const remote = await bareRepository(directory.path);
  const clone = (name: string, config: Record<string, string>) =>
    Clone.of(remote, `${directory.path}/${name}`, config);
  return { server, clone };
}

/** Settings of git for the model `team/model`, with the credential in a header. */
function byHeader(origin: string, token: string, tree = ""): Record<string, string> {
  return {
    "lfs.url": `${origin}/hub${tree}/team/model.git/info/lfs`,
    [`http.${origin}/.extraheader`]: `Authorization: Bearer ${token}`,
  };
}

/** The same, with the credential as a password in the address. */
function byPassword(origin: string, token: string): Record<string, string> {
  const url = new URL(`${origin}/hub/team/model.git/info/lfs`);
  url.username = "user";
  url.password = token;
  return { "lfs.url": url.href };
}

async function counted(port: number, work: (origin: string) => Promise<unknown>): Promise<number> {
  await using proxy = new CountingProxy(port);
  await work(proxy.origin);
  return proxy.passed.up;
}

Deno.test({
  name: "C 20 git lfs pushes and pulls",
  ignore,
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const { server, clone } = await start(stack);
    const one = await server.as(1);
    await one.mkdir("models/team/model");
    const files = { "large.bin": noise(3_000_000), "small.bin": noise(10, 2) };
    const first = await clone("first", byHeader(server.origin, one.token));
    await first.commit(files);

    await t.step("C 20 with the credential in a header", async () => {
      await first.git("push", "-q", "origin", "HEAD:main");
      const second = await clone("second", byHeader(server.origin, one.token));
      await second.git("checkout", "-q", "main");
      assert.match(new TextDecoder().decode(await second.read("large.bin")), /^version /);
      await second.git("lfs", "pull");
      for (const [name, content] of Object.entries(files)) {
        assert.deepEqual(new Uint8Array(await second.read(name)), content, name);
      }
      assert.deepEqual(await server.temporaryFiles(), []);
    });
    await t.step("C 20 clients of the hub see nothing of what git has sent", async () => {
      const hub = new HubClient(server, one);
      const empty = createHash("sha256").digest("hex").slice(0, 40);
      assert.equal((await hub.send("GET", "/api/models/team/model/tree/main")).text, "[]");
      assert.match((await hub.send("GET", "/api/models/team/model")).text, new RegExp(empty));
    });
    await t.step("C 20 each content is a file of the repository", async () => {
      for (const content of Object.values(files)) {
        const path = `models/team/model/.lfs/${lfsObject(content).oid}`;
        assert.equal((await one.file("HEAD", path)).status, 200);
      }
    });
    await t.step("C 20 with the credential as a password", async () => {
      const third = await clone("third", byPassword(server.origin, one.token));
      await third.git("checkout", "-q", "main");
      await third.git("lfs", "pull");
      assert.deepEqual(new Uint8Array(await third.read("large.bin")), files["large.bin"]);
      await third.commit({ "more.bin": noise(100_000, 3) });
      await third.git("push", "-q", "origin", "HEAD:main");
    });
    await t.step("C 20 what the tree has is not sent", async () => {
      const content = noise(2_000_000, 4);
      await one.put("models/team/model/held.bin", content);
      await first.git("pull", "-q", "--rebase", "origin", "main");
      await first.commit({ "held.bin": content });
      const sent = await counted(server.server.address.port, async (origin) => {
        await first.git("config", "lfs.url", `${origin}/hub/team/model.git/info/lfs`);
        await first.git(
          "config",
          `http.${origin}/.extraheader`,
          `Authorization: Bearer ${one.token}`,
        );
        await first.git("push", "-q", "origin", "HEAD:main");
      });
      assert.ok(sent < 20_000, String(sent));
      // A clone finds it all the same when that file is gone.
      await one.remove({ path: "models/team/model/held.bin" });
      const fourth = await clone("fourth", byHeader(server.origin, one.token));
      await fourth.git("checkout", "-q", "main");
      await fourth.git("lfs", "pull", "--include", "held.bin");
      assert.deepEqual(new Uint8Array(await fourth.read("held.bin")), content);
    });
    await t.step("C 20 a wrong credential is refused", async () => {
      const stranger = await clone("stranger", byHeader(server.origin, "wrong"));
      await stranger.git("checkout", "-q", "main");
      const { code, stderr } = await stranger.tryGit("lfs", "pull");
      assert.notEqual(code, 0);
      assert.match(stderr, /redential|authoriz/i);
    });
    await t.step("C 20 content of others is not there", async () => {
      const two = await server.as(2);
      await two.mkdir("models/team/model");
      const other = await clone("other", byHeader(server.origin, two.token));
      await other.git("checkout", "-q", "main");
      const { code, stderr } = await other.tryGit("lfs", "pull");
      assert.notEqual(code, 0);
      assert.match(stderr, /No file of the tree has this content/);
    });
    await t.step("C 19 in a shared tree", async () => {
      const trees = { "7": USER_PRIVILEGES };
      const token = await mintToken({ userId: 1, privileges: [], trees });
      await (await server.as(7)).mkdir("models/team/model");
      const shared = await clone("shared", byHeader(server.origin, token, "/t/7"));
      await shared.commit({ "shared.bin": noise(100_000, 5) });
      await shared.git("push", "-q", "origin", "HEAD:shared");
    });
  },
});

Deno.test({
  name: "C 18 git lfs is refused what the gate refuses, and says why",
  ignore,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const room = new ScanRoom();
    const { server, clone } = await start(stack, { settings: { gate: "block" }, host: room.host });
    const one = await server.as(1);
    const files = {
      "clean.pkl": await modelFile("pickle/plain_3.pkl"),
      "evil.pkl": await modelFile("pickle/hostile/eval.pkl"),
    };
    for (const [name, content] of Object.entries(files)) {
      await one.put(`models/team/model/${name}`, content);
    }
    const first = await clone("first", byHeader(server.origin, one.token));
    await first.commit(files);
    await first.git("push", "-q", "origin", "HEAD:main");
    const second = await clone("second", byHeader(server.origin, one.token));
    await second.git("checkout", "-q", "main");
    const refused = async () => {
      const { code, stdout, stderr } = await second.tryGit("lfs", "pull");
      assert.notEqual(code, 0);
      return stdout + stderr;
    };
    assert.match(await refused(), /pending/);
    room.isOpen = true;
    await settledVerdicts(one);
    await second.git("lfs", "pull", "--include", "clean.pkl");
    assert.deepEqual(new Uint8Array(await second.read("clean.pkl")), files["clean.pkl"]);
    assert.match(await refused(), /dangerous/);
    assert.match(new TextDecoder().decode(await second.read("evil.pkl")), /^version /);
  },
});

Deno.test({
  name: "C 31 git lfs says why the server has no room, and sends nothing",
  ignore,
  async fn() {
    await using stack = new AsyncDisposableStack();
    const { server, clone } = await start(stack, { limits: { maxUploadFileSize: 200_000 } });
    const token = await mintToken({ userId: 1, privileges: USER_PRIVILEGES, quota: 100_000 });
    await (await server.as(1)).mkdir("models/team/model");
    const first = await clone("first", byHeader(server.origin, token));
    await first.commit({ "large.bin": noise(300_000), "much.bin": noise(150_000) });
    const { code, stdout, stderr } = await first.tryGit("push", "-q", "origin", "HEAD:main");
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /is larger than/);
    assert.match(stdout + stderr, /exceed the quota/);
    assert.deepEqual(server.log.filter((line) => line.includes("/hub/lfs/")), []);
  },
});
