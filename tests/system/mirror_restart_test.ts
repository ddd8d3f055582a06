import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { HubClient } from "../support/hub.ts";
import { HubDouble } from "../support/hub_double.ts";
import { download, open } from "../support/mirroring.ts";
import { noise } from "../support/random.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const PATH = "/org/model/resolve/main/w.bin";

/** Files below a directory. */
async function filesBelow(directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isFile, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isFile) found.push(path);
    if (isDirectory) found.push(...await filesBelow(path));
  }
  return found;
}

for (const signal of ["SIGKILL", "SIGTERM"] as const) {
  Deno.test(`C 28 a fetch that ${signal} has ended leaves nothing, and begins anew for who goes on`, async () => {
    await using directory = await TempDir.make();
    await using double = HubDouble.start();
    const content = noise(4 * MIB);
    double.add("org/model", { "w.bin": { content } });
    double.fault = ({ host }) => host === "content" ? { stallAt: 3 * MIB } : undefined;
    const start = async () => {
      const server = await ChildServer.start({
        dataDir: directory.path,
        env: {
          STRONGROOM_MIRROR_URL: double.url,
          STRONGROOM_MIRROR_HOSTS: double.contentHost,
          STRONGROOM_GATE: "block",
          STRONGROOM_GRACE: "1s",
        },
      });
      return {
        server,
        hub: new HubClient(server, await server.as(1, [...USER_PRIVILEGES, "mirror.use"])),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    };
    let got = 0;
    {
      await using first = await start();
      const response = await open(first.hub, PATH);
      const reader = response.body?.getReader();
      while (got < MIB) got += (await reader?.read())?.value?.length ?? 0;
      const broken = assert.rejects(async () => {
        while (await reader?.read() !== undefined);
      });
      await first.server.end(signal);
      await broken;
    }
    double.fault = () => undefined;
    double.resume();
    double.taken();
    await using second = await start();
    assert.deepEqual(await filesBelow(`${directory.path}/tmp`), []);
    await until(async () => {
      const range = { Range: `bytes=${got}-` };
      const { response, bytes } = await download(second.hub, PATH, range);
      if (response.status === 429) return false;
      // What it has may be wrong, as it was never verified.
      assert.equal(response.status, 200);
      assert.deepEqual(bytes, content);
      return true;
    });
    const fetched = double.taken().filter(({ host }) => host === "content");
    assert.deepEqual(fetched.map(({ range }) => range), [null]);
    await until(async () => (await filesBelow(`${directory.path}/tmp`)).length === 0);
  });
}
