/**
 * `deno task test:large`: copies of 10 000 small files and of one file of 20 GiB there and back, with the
 * memory that both sides take. Needs 40 GiB of disk, or twice as many as the variable GIB says.
 */

import * as assert from "node:assert/strict";
import { GIB, MIB } from "../../schemas/units.ts";
import { ChildServer } from "../support/child_server.ts";
import { memoryOf } from "../support/processes.ts";
import { RemoteClient } from "../support/remote_client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

const FILES = Number(Deno.env.get("FILES") ?? 10_000);
const LARGE_BYTES = Number(Deno.env.get("GIB") ?? 20) * GIB;
/** What a process may take, whatever the sizes of files. */
const MAX_MEMORY_BYTES = 600 * MIB;

/** Runs a command, and returns what it printed and took. */
async function measured(client: RemoteClient, args: readonly string[], server: ChildServer) {
  const started = Date.now();
  const child = client.spawn(args, { narrow: false });
  let memory = { client: 0, server: 0 };
  const timer = setInterval(async () => {
    const [own, its] = await Promise.all([memoryOf(child.pid), memoryOf(server.pid)]);
    memory = { client: Math.max(memory.client, own), server: Math.max(memory.server, its) };
  }, 200);
  await child.stdin.close();
  const { code, stdout, stderr } = await child.output();
  clearInterval(timer);
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const seconds = (Date.now() - started) / 1000;
  const text = new TextDecoder().decode(stdout).trim();
  console.log(
    `${args[0]}: ${text}; ${seconds.toFixed(1)} s; client ${
      Math.round(memory.client / MIB)
    } MiB, ` +
      `server ${Math.round(memory.server / MIB)} MiB`,
  );
  assert.ok(memory.client < MAX_MEMORY_BYTES && memory.server < MAX_MEMORY_BYTES);
  return text;
}

Deno.test("C 25 many small files and a large one are copied there and back", async (t) => {
  await using directory = await TempDir.make();
  await using server = await ChildServer.start({
    dataDir: `${directory.path}/data`,
    env: {
      STRONGROOM_MAX_UPLOAD_FILE_SIZE: "64GiB",
      STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "64GiB",
    },
  });
  const { token } = await server.as(1);
  const client = new RemoteClient({
    HOME: directory.path,
    STRONGROOM_URL: server.origin,
    STRONGROOM_TOKEN: token,
  });
  const back = `${directory.path}/back`;
  const same = async (path: string) => {
    assert.equal(
      (await run("diff", ["-r", `${directory.path}/${path}`, `${back}/${path}`])).code,
      0,
    );
  };

  await t.step(`C 25 ${FILES} small files`, async () => {
    for (let index = 0; index < FILES; index++) {
      const parent = `${directory.path}/small/${index % 100}`;
      if (index < 100) await Deno.mkdir(parent, { recursive: true });
      await Deno.writeTextFile(`${parent}/${index}.txt`, `${index} `.repeat(500));
    }
    const all = new RegExp(`${FILES.toLocaleString("en")} files`);
    assert.match(await measured(client, ["put", `${directory.path}/small`, ":"], server), all);
    assert.match(
      await measured(client, ["put", `${directory.path}/small`, ":"], server),
      /^Sent 0/,
    );
    assert.match(await measured(client, ["get", "small", back], server), all);
    await same("small");
  });
  await t.step(`C 25 one file of ${LARGE_BYTES / GIB} GiB`, async () => {
    // It is sparse, but for its ends.
    using file = await Deno.open(`${directory.path}/large.bin`, { createNew: true, write: true });
    await file.write(new TextEncoder().encode("begin"));
    await file.seek(LARGE_BYTES - 3, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode("end"));
    assert.match(
      await measured(client, ["put", `${directory.path}/large.bin`, ":"], server),
      /^Sent 1/,
    );
    assert.match(await measured(client, ["get", "large.bin", back], server), /^Received 1/);
    await same("large.bin");
  });
});
