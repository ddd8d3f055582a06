import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { HubClient } from "../support/hub.ts";
import { HubDouble } from "../support/hub_double.ts";
import { open } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { childrenOf } from "../support/processes.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;

Deno.test("C 28 a scanner process reads a file that comes in, and ends with a fetch that fails", async () => {
  await using directory = await TempDir.make();
  await using double = HubDouble.start();
  const clean = new Uint8Array(20 * MIB);
  const dangerous = clean.slice();
  dangerous.set(await modelFile("pickle/hostile/eval.pkl"));
  double.add("org/model", {
    "cut.bin": { content: clean.slice(1) },
    "clean.bin": { content: clean },
    "bad.pkl": { content: dangerous },
  });
  await using server = await ChildServer.start({
    dataDir: directory.path,
    env: {
      STRONGROOM_MIRROR_URL: double.url,
      STRONGROOM_MIRROR_HOSTS: double.contentHost,
      STRONGROOM_GATE: "block",
      // Scans do not wait for other tests.
      STRONGROOM_CPU_CAUTION_PCT: "100000",
      STRONGROOM_CPU_CRITICAL_PCT: "100000",
    },
  });
  const hub = new HubClient(server, await server.as(1, [...USER_PRIVILEGES, "mirror.use"]));
  const scanners = async () => {
    const children = await childrenOf(server.supervisorPid);
    return [...children.keys()].filter((pid) => pid !== server.pid).length;
  };
  /** Begins a download, which stalls once its scanner has started. */
  const stalled = async (path: string) => {
    double.fault = ({ host, range }) =>
      host === "content" && range === null ? { stallAt: 18 * MIB } : undefined;
    const response = await open(hub, `/org/model/resolve/main/${path}`);
    await until(async () => await scanners() === 1);
    return response;
  };
  const failing = await stalled("cut.bin");
  double.fault = () => ({ status: 404 });
  double.resume();
  await assert.rejects(failing.bytes());
  await until(async () => await scanners() === 0);
  const refused = await stalled("bad.pkl");
  double.resume();
  await assert.rejects(refused.bytes());
  await until(async () => await scanners() === 0);
  const response = await stalled("clean.bin");
  double.resume();
  assert.equal((await response.bytes()).length, clean.length);
});
