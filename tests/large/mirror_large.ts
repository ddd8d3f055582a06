/**
 * `deno task test:large`: a file of 5 GB through a cold mirror by `hf download` with its own time limits, a dangerous
 * one, which nobody gets whole, and one of 1 GB that 50 clients ask for at once, with the memory of the server. The
 * variables MIRROR_MB and CROWD_MB say how large they are. Needs curl, huggingface_hub and 20 GB of disk.
 */

import * as assert from "node:assert/strict";
import { MIB } from "../../schemas/units.ts";
import { seconds } from "../bench/measures.ts";
import { ChildServer } from "../support/child_server.ts";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { modelFile } from "../support/models.ts";
import { memoryOf } from "../support/processes.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { LargeHub, weights } from "./large_hub.ts";

const BYTES = Number(Deno.env.get("MIRROR_MB") ?? 5000) * 1_000_000;
const CROWD_BYTES = Number(Deno.env.get("CROWD_MB") ?? 1000) * 1_000_000;
const USERS = 10;
const CLIENTS_OF_USER = 5;
const PRIVILEGES = [...USER_PRIVILEGES, "mirror.use"];
/** What the server may take, whatever the sizes of files and however many read them. */
const MAX_MEMORY_BYTES = 700 * MIB;

const [version] = HUB_VERSIONS;

/** A server that mirrors a hub with one large file, and how much memory it took at most. */
async function started(
  name: string,
  beginning: Uint8Array,
  content: Parameters<LargeHub["add"]>[2],
) {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(await TempDir.make());
  await Deno.mkdir(`${directory.path}/hub`);
  const hub = parts.use(new LargeHub(`${directory.path}/hub`));
  await hub.add(name, beginning, content);
  const server = parts.use(
    await ChildServer.start({ dataDir: `${directory.path}/data`, env: hub.env }),
  );
  const memory = { most: 0, first: await memoryOf(server.pid) };
  const timer = setInterval(async () => {
    memory.most = Math.max(memory.most, await memoryOf(server.pid));
  }, 100);
  parts.defer(() => clearInterval(timer));
  const owned = parts.move();
  return {
    ...{ hub, server, memory, directory: directory.path },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The size of the largest file below a directory. */
async function largestBelow(directory: string): Promise<number> {
  let largest = 0;
  for await (const { name, isDirectory, isFile } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) largest = Math.max(largest, await largestBelow(path));
    else if (isFile) largest = Math.max(largest, (await Deno.stat(path)).size);
  }
  return largest;
}

Deno.test({
  name: `C 28 hf download gets ${BYTES / 1_000_000} MB through a cold mirror`,
  ignore: version === undefined,
  async fn() {
    if (version === undefined) return;
    await using parts = await started("w.safetensors", weights(BYTES), {
      size: BYTES,
      rest: "zeros",
    });
    const { hub, server, memory, directory } = parts;
    const { token } = await server.as(1, PRIVILEGES);
    const home = `${directory}/home`;
    await Deno.mkdir(home);
    const client = new HfClient(version, { endpoint: `${server.origin}/hub`, token, home });
    const took = await seconds(() =>
      client.succeed("download", "org/large", "--local-dir", `${directory}/out`)
    );
    const { code } = await run("cmp", [
      hub.pathOf("w.safetensors"),
      `${directory}/out/w.safetensors`,
    ]);
    assert.equal(code, 0);
    assert.equal(hub.fetches, 1);
    console.log({
      ...{ bytes: BYTES, seconds: took },
      "MiB of memory": [memory.first / MIB, memory.most / MIB],
    });
    assert.ok(memory.most < MAX_MEMORY_BYTES, `${memory.most} bytes of memory`);
  },
});

Deno.test({
  name: `C 28 hf download never has a dangerous file of ${BYTES / 1_000_000} MB whole`,
  ignore: version === undefined,
  async fn() {
    if (version === undefined) return;
    await using parts = await started(
      "bad.pkl",
      await modelFile("pickle/hostile/eval.pkl"),
      { size: BYTES, rest: "zeros" },
    );
    const { server, directory } = parts;
    const { token } = await server.as(1, PRIVILEGES);
    const home = `${directory}/home`;
    await Deno.mkdir(home);
    const client = new HfClient(version, { endpoint: `${server.origin}/hub`, token, home });
    const download = () => client.fail("download", "org/large", "--local-dir", `${home}/out`);
    const took = await seconds(download);
    // Not every version asks again after a transfer that was broken off.
    assert.match(await download(), /dangerous/);
    const largest = await largestBelow(home);
    console.log({ bytes: BYTES, seconds: took, "largest part": largest });
    assert.ok(largest < BYTES, `${largest} bytes`);
  },
});

Deno.test({
  name: `C 28 50 clients ask for ${CROWD_BYTES / 1_000_000} MB that are not here`,
  async fn() {
    await using parts = await started("w.safetensors", weights(CROWD_BYTES), {
      size: CROWD_BYTES,
      rest: "random",
    });
    const { hub, server, memory } = parts;
    const url = `${server.origin}/hub/org/large/resolve/main/w.safetensors`;
    const read = async (token: string) => {
      const startedAt = Date.now();
      const { code, stdout, stderr } = await run("curl", [
        ...["-sS", "-f", "-L", "--location-trusted", "-o", "/dev/null", "--retry", "60"],
        ...["-w", "%{size_download} %{time_starttransfer}", "-H", `Authorization: Bearer ${token}`],
        url,
      ]);
      assert.equal(code, 0, stderr);
      const [size = 0, first = 0] = stdout.split(" ").map(Number);
      assert.equal(size, CROWD_BYTES);
      return startedAt + first * 1000;
    };
    const tokens = await Promise.all(
      Array.from(
        { length: USERS },
        async (_, user) => (await server.as(user + 1, PRIVILEGES)).token,
      ),
    );
    let firsts: number[] = [];
    const took = await seconds(async () => {
      const readers = tokens.flatMap((token) =>
        Array.from({ length: CLIENTS_OF_USER }, () => token)
      );
      firsts = await Promise.all(readers.map(read));
    });
    const { sentAt = 0 } = hub;
    const last = Math.max(...firsts);
    console.log({
      ...{ bytes: CROWD_BYTES, clients: firsts.length, seconds: took, fetches: hub.fetches },
      "the last first byte, in seconds before the end of the fetch": (sentAt - last) / 1000,
      "MiB of memory": [memory.first / MIB, memory.most / MIB],
    });
    assert.equal(hub.fetches, 1);
    assert.ok(last < sentAt);
    assert.ok(memory.most < MAX_MEMORY_BYTES, `${memory.most} bytes of memory`);
  },
});
