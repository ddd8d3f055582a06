import * as assert from "node:assert/strict";
import { ChildServer } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const WAITING = '"level":"info","msg":"Waiting for the server that stops","dataDir":';

Deno.test({
  name: "C 15 a start waits for a server whose supervisor was killed, until it has stopped",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    const dataDir = `${directory.path}/data`;
    await using left = await ChildServer.start({
      dataDir,
      env: { STRONGROOM_METRICS: "open" },
    });
    const one = await left.as(1);
    assert.equal((await one.put("kept", "content")).status, 201);
    // A transfer that goes on: the server waits for it, and the next one for the server.
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
    const sender = writable.getWriter();
    const transfer = one.put("begun", readable).catch((error: unknown) => error);
    await sender.write(new Uint8Array(1));
    await until(async () => {
      const metrics = await fetch(`${left.origin}/metrics`).then((it) => it.text());
      // This request is the other one.
      return metrics.includes("strongroom_http_requests_in_flight 2\n");
    });
    Deno.kill(left.supervisorPid, "SIGKILL");
    await until(() => left.log.includes('"msg":"Stopping"'));
    try {
      let isCut: Promise<void> | undefined;
      await using next = await ChildServer.start({
        dataDir,
        onPrint(text) {
          if (text.includes(WAITING)) isCut ??= sender.abort();
        },
      });
      await isCut;
      assert.ok(next.log.includes(WAITING));
      const client = await next.as(1);
      assert.equal((await client.file("GET", "kept")).text, "content");
      assert.deepEqual(await client.paths(), ["kept"]);
      assert.equal((await next.end("SIGTERM")).code, 0);
    } finally {
      await left.ended();
      await transfer;
    }
  },
});
