import * as assert from "node:assert/strict";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import { settledVerdicts, verdictsOf } from "../support/verdicts.ts";

Deno.test("C 18 the gate blocks across a crash, and scans what the crash left unscanned", async () => {
  await using directory = await TempDir.make();
  const options = { dataDir: directory.path, env: { STRONGROOM_GATE: "block" } };
  const dangerous = await modelFile("pickle/hostile/eval.pkl");
  const clean = await modelFile("pickle/plain_3.pkl");
  let token = "";
  {
    await using child = await ChildServer.start(options);
    const one = await child.as(1, USER_PRIVILEGES);
    token = one.token;
    // Hashing this takes long enough to be interrupted.
    await one.upload("d", { "slow.bin": new Uint8Array(250 * 2 ** 20) });
    await until(async () => (await child.scanners()).length > 0);
    for (const pid of await child.scanners()) Deno.kill(pid, "SIGSTOP");
    await one.upload("d", { "clean.pkl": clean, "evil.pkl": dangerous });
    assert.equal((await verdictsOf(one, "d")).get("d/slow.bin")?.verdict, "pending");
    await child.end("SIGKILL");
  }
  await using child = await ChildServer.start(options);
  const one = new Client(child.origin + BASE_PATH, token);
  const early = await one.download({ path: "d/evil.pkl" });
  assert.equal(early.status, 403, await early.text());
  assert.deepEqual(await settledVerdicts(one, "d"), [
    "d/clean.pkl clean",
    "d/evil.pkl dangerous",
    "d/slow.bin unknown",
  ]);
  assert.deepEqual(await one.bytes({ path: "d/clean.pkl" }), clean);
  const { status } = await one.send("GET", "/resources/download?path=d/evil.pkl");
  assert.equal(status, 403);
  await child.end("SIGTERM");
});
