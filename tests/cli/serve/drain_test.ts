import * as assert from "node:assert/strict";
import { refused } from "../../support/client.ts";
import { ChildServer } from "../../support/child_server.ts";
import { temporaryFiles } from "../../support/invariants.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** Content that a client sends until it is told to end. */
function endless() {
  let isEnding = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (isEnding) return controller.close();
      controller.enqueue(new Uint8Array(100_000));
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  });
  return { body, end: () => isEnding = true };
}

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "C 31 after SIGTERM, a server is not ready and takes requests for STRONGROOM_DRAIN",
  ignore,
  async fn() {
    await using directory = await TempDir.make();
    const env = { STRONGROOM_DRAIN: "1h" };
    await using child = await ChildServer.start({ dataDir: directory.path, env });
    const one = await child.as(1);
    const status = async (path: string) => {
      const reply = await fetch(child.origin + path);
      await reply.body?.cancel();
      return reply.status;
    };
    assert.equal(await status("/readyz"), 200);
    Deno.kill(child.pid, "SIGTERM");
    await until(async () => await status("/readyz") === 503);
    assert.equal(await status("/healthz"), 200);
    assert.equal((await one.upload("", { "a.txt": "a" })).status, 200);
    const reply = await one.list();
    assert.equal(reply.status, 200);
    // A client that keeps its connection would not notice that others are to take its requests.
    assert.equal(reply.headers.get("Connection"), "close");
    // A person who does not wait sends it again.
    assert.equal((await child.end("SIGTERM")).code, 130);
  },
});

Deno.test({
  name:
    "C 31 a transfer that runs at SIGTERM ends within STRONGROOM_GRACE, and what follows is refused",
  ignore,
  async fn() {
    await using directory = await TempDir.make();
    const env = { STRONGROOM_DRAIN: "1s" };
    await using child = await ChildServer.start({ dataDir: directory.path, env });
    const one = await child.as(1);
    const { body, end } = endless();
    const upload = one.put("a.bin", body);
    await until(async () => (await temporaryFiles(directory.path)).length > 0);
    Deno.kill(child.pid, "SIGTERM");
    await until(() => child.log.includes('"Stopping"'));
    refused(await one.list(), 503, "ErrUnavailable");
    end();
    assert.equal((await upload).status, 201);
    assert.equal((await child.ended()).code, 0);
    assert.match(child.log, /"Not ready any more.*"seconds":1[\s\S]*"Stopped","finished":true/);
  },
});

Deno.test({
  name: "C 31 a transfer that takes longer than STRONGROOM_GRACE is broken off",
  ignore,
  async fn() {
    /** A server with an upload that goes on. */
    const start = async (parts: AsyncDisposableStack, grace: string) => {
      const { path: dataDir } = parts.use(await TempDir.make());
      const env = { STRONGROOM_GRACE: grace };
      const child = parts.use(await ChildServer.start({ dataDir, env }));
      const { body, end } = endless();
      const upload = (await child.as(1)).put("a.bin", body)
        .then(({ status }) => status, () => "broken off");
      await until(async () => (await temporaryFiles(dataDir)).length > 0);
      return { child, upload, end };
    };
    await using parts = new AsyncDisposableStack();
    const patient = await start(parts, "1h");
    const hasty = await start(parts, "1s");
    // The one that is told first would be the first to give up if both had the same time.
    Deno.kill(patient.child.pid, "SIGTERM");
    await until(() => patient.child.log.includes('"Stopping"'));
    assert.equal((await hasty.child.end("SIGTERM")).code, 0);
    assert.match(hasty.child.log, /"Stopped","finished":false/);
    assert.notEqual(await hasty.upload, 201);
    patient.end();
    assert.equal(await patient.upload, 201);
    assert.equal((await patient.child.ended()).code, 0);
    // Servers that share no database do not drain: no other could take the requests.
    assert.doesNotMatch(patient.child.log + hasty.child.log, /Not ready any more/);
    hasty.end();
  },
});
