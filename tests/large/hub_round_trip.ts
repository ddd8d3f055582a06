import * as assert from "node:assert/strict";
import { MIB } from "../../schemas/units.ts";
import { randomFile, seconds } from "../bench/measures.ts";
import { ChildServer } from "../support/child_server.ts";
import { HfClient, type HubVersion } from "../support/hub_clients.ts";
import { memoryOf } from "../support/processes.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

/** What the server may take, whatever the sizes of files. */
const MAX_MEMORY_BYTES = 600 * MIB;

/**
 * Uploads a file by `hf upload` and downloads it by `hf download`, beside the same with another one by curl.
 * Returns the seconds of each, and the most memory that the server took.
 *
 * @throws {assert.AssertionError} when the file comes back changed, or the server takes too much memory.
 */
export async function roundTrip(version: HubVersion, bytes: number): Promise<object> {
  await using directory = await TempDir.make();
  const home = directory.path;
  await using server = await ChildServer.start({
    dataDir: `${home}/data`,
    env: { STRONGROOM_MAX_UPLOAD_FILE_SIZE: "64GiB", STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "64GiB" },
  });
  const { token, url } = await server.as(1);
  const hub = new HfClient(version, { endpoint: `${server.origin}/hub`, token, home });
  const [model, other] = [`${home}/model.bin`, `${home}/other.bin`];
  for (const path of [model, other]) await randomFile(path, bytes);
  const curl = async (...args: string[]) => {
    const header = `Authorization: Bearer ${token}`;
    const { code, stderr } = await run("curl", ["-sSf", "-H", header, ...args]);
    assert.equal(code, 0, stderr);
  };

  let memory = 0;
  const timer = setInterval(async () => {
    memory = Math.max(memory, await memoryOf(server.pid));
  }, 100);
  const times = {
    "hf upload": await seconds(() => hub.succeed("upload", "team/large", model)),
    "its hash of the file": await seconds(() => hub.program("hash", model)),
    "curl -T": await seconds(() => curl("-o", `${home}/reply`, "-T", other, `${url}/files/o.bin`)),
    "hf download": await seconds(() =>
      hub.succeed("download", "team/large", "--local-dir", `${home}/back`)
    ),
    "curl -o": await seconds(() => curl("-o", `${home}/back/other.bin`, `${url}/files/o.bin`)),
  };
  clearInterval(timer);
  for (const name of ["model.bin", "other.bin"]) {
    assert.equal((await run("cmp", [`${home}/${name}`, `${home}/back/${name}`])).code, 0, name);
  }
  assert.ok(memory < MAX_MEMORY_BYTES, `${memory} bytes of memory`);
  return { huggingface_hub: version.version, bytes, seconds: times, "MiB of memory": memory / MIB };
}
