import * as assert from "node:assert/strict";
import { MIB } from "../../../schemas/units.ts";
import { readFolder, writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 --include and --exclude say what is copied, and what --delete may delete", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const [here, there] = [`${directory.path}/here`, `${directory.path}/there`];
  await writeFolder(here, {
    "a.bin": "1",
    "a.txt": "2",
    "d/b.bin": "3",
    "d/tmp/c.bin": "4",
    "models/x/y.txt": "5",
    "empty/": "",
  });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(args);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };
  const SELECTED = ["--include", "*.bin", "--include", "models", "--exclude", "tmp"];
  const COPIED = { "a.bin": "1", "d/b.bin": "3", "models/x/y.txt": "5" };

  await t.step("C 25 put and get", async () => {
    await run("put", ...SELECTED, here, ":");
    await run("get", "here", `${directory.path}/all`);
    assert.deepEqual(await readFolder(`${directory.path}/all/here`), COPIED);
    await run("put", "--on-conflict", "skip", here, ":");
    await run("get", ...SELECTED, "here", `${directory.path}/some`);
    assert.deepEqual(await readFolder(`${directory.path}/some/here`), COPIED);
  });
  await t.step("C 25 sync --delete keeps what is not included", async () => {
    await writeFolder(there, { "kept.txt": "k", "d/kept.txt": "k", "gone.bin": "g" });
    await run("sync", "--delete", ...SELECTED, ":here", there);
    const kept = { "kept.txt": "k", "d/kept.txt": "k" };
    assert.deepEqual(await readFolder(there), { ...COPIED, ...kept });
    await Deno.remove(`${here}/a.bin`);
    await Deno.remove(`${here}/a.txt`);
    await run("sync", "--delete", "--include", "*.bin", here, ":here");
    await run("get", "here", `${directory.path}/after`);
    const { "a.txt": text, "a.bin": binary } = await readFolder(`${directory.path}/after/here`);
    assert.deepEqual([text, binary], ["2", undefined]);
  });
});

Deno.test("C 25 sync --max-delete does nothing if more would be deleted", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const one = await server.as(1);
  await one.upload("m", { a: "1", b: "2", c: "3", d: "4" });
  const local = `${directory.path}/local`;
  await writeFolder(local, { a: "1", b: "2", new: "5" });
  const sync = (max: string, ...more: string[]) =>
    client.run(["sync", "--delete", "--max-delete", max, ...more, local, ":m"]);
  for (const [max, limit] of [["1", "1"], ["49%", "49%"], ["0", "0"]] as const) {
    const { code, stderr } = await sync(max);
    assert.deepEqual([code, stderr], [
      2,
      "strongroom: --delete would delete 2 of 4 entries of the target, and --max-delete permits " +
      `${limit}: nothing was done\n`,
    ]);
  }
  assert.deepEqual(await one.tree(), ["m", "m/a", "m/b", "m/c", "m/d"]);
  assert.equal((await sync("50%", "--dry-run")).code, 0);
  assert.equal((await sync("2")).code, 0);
  assert.deepEqual(await one.tree(), ["m", "m/a", "m/b", "m/new"]);
});

Deno.test("C 25 --bwlimit holds for put, get, sync and stdin, and all arrives", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const local = `${directory.path}/local`;
  await writeFolder(local, { small: "s", medium: "m".repeat(MIB), large: "l".repeat(17 * MIB) });
  const limit = ["--bwlimit", "200MiB"];
  const runs: readonly (readonly string[])[] = [
    ["put", ...limit, local, ":"],
    ["put", ...limit, "--name", "stdin", "-", "local"],
    ["get", ...limit, "local", `${directory.path}/back`],
    ["sync", ...limit, ":local", local],
  ];
  for (const args of runs) {
    const { code, stderr } = await client.run(args, { stdin: "from stdin" });
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  }
  assert.deepEqual(await readFolder(local), await readFolder(`${directory.path}/back/local`));
  for (const wrong of ["0", "fast", "10MiB/s", "-1"]) {
    const { code, stderr } = await client.run(["put", "--bwlimit", wrong, local, ":"]);
    assert.deepEqual([code, stderr], [
      2,
      `strongroom: --bwlimit must be the bytes of a second, such as 10MiB or 500kB, not "${wrong}"\n`,
    ]);
  }
});
