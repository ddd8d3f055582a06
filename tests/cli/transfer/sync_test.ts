import * as assert from "node:assert/strict";
import { readFolder, writeFolder } from "../../support/folders.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 sync makes a directory have what another one has, in both directions", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  const client = await RemoteClient.of(server, directory.path);
  const [here, there] = [`${directory.path}/here`, `${directory.path}/there`];
  await writeFolder(here, { "same": "1", "changed": "2", "d/e/f": "3", "empty/": "" });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await client.run(["sync", ...args]);
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
    return stdout;
  };

  await t.step("C 25 up, then down", async () => {
    assert.equal(await run(here, ":models/x"), "Sent 3 files, 3 bytes\n");
    assert.equal(await run(":models/x", there), "Received 3 files, 3 bytes\n");
    assert.deepEqual(await readFolder(there), await readFolder(here));
  });
  await writeFolder(here, { "changed": "new", "added": "4", "log/keep.tmp": "5" });
  await Deno.remove(`${here}/d`, { recursive: true });

  await t.step("C 25 --dry-run prints what would be done, and does nothing", async () => {
    const printed = await run("--dry-run", "--delete", "--exclude", "*.tmp", here, ":models/x");
    assert.equal(
      printed,
      "+ added (1 byte)\n~ changed (3 bytes)\n- d/e/f\n- d/e\n- d\n" +
        "Would send 2 files, 4 bytes; 1 file, 1 byte were there already; 3 to delete\n",
    );
    const json = await run("--dry-run", "--json", here, ":models/x");
    assert.deepEqual(json.trim().split("\n").map((line) => JSON.parse(line)).slice(0, 1), [
      { action: "add", path: "added", bytes: 1 },
    ]);
    assert.equal(
      await run(":models/x", there),
      "Received 0 files, 0 bytes; 3 files, 3 bytes were there already\n",
    );
  });
  await t.step(
    "C 25 --delete deletes what the source lacks, and not what is excluded",
    async () => {
      await run("--delete", here, ":models/x");
      await writeFolder(there, { "kept.log": "6", "old/x": "7" });
      await Deno.symlink(here, `${there}/old/link`);
      await run("--delete", "--exclude", "*.log", ":models/x", there);
      assert.deepEqual(await readFolder(there), { ...await readFolder(here), "kept.log": "6" });
      await Deno.remove(`${there}/kept.log`);
      await writeFolder(here, { "a.tmp": "8" });
      await run(here, ":models/x");
      await Deno.remove(`${here}/log`, { recursive: true });
      await run("--delete", "--exclude", "*.tmp", here, ":models/x");
      await run("--delete", ":models/x", there);
      assert.deepEqual(await readFolder(there), { ...await readFolder(here), "log/keep.tmp": "5" });
    },
  );
  await t.step(
    "C 25 --delete replaces a file by a directory, and a directory by a file",
    async () => {
      await Deno.remove(`${here}/same`);
      await writeFolder(here, { "same/file": "9" });
      await Deno.remove(`${here}/empty`);
      await writeFolder(here, { "empty": "10" });
      const refused = await client.run(["sync", here, ":models/x"]);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /"same": A file is in the place\n/);
      assert.match(refused.stderr, /"empty": A directory is in the place\n/);
      await run("--delete", here, ":models/x");
      await run("--delete", ":models/x", there);
      assert.deepEqual(await readFolder(there), await readFolder(here));
    },
  );
  await t.step("C 25 nothing is deleted if not all files could be listed", async () => {
    await writeFolder(there, { "extra": "11", "dir/": "" });
    await Deno.symlink("nowhere", `${there}/dangling`);
    const { code, stderr } = await client.run(["sync", "--delete", there, ":models/x"]);
    assert.equal(code, 1);
    assert.match(stderr, /dangling": No such file\n[^\n]*Nothing is deleted, as not all files/);
    const gone = await client.run(["sync", "--delete", ":missing", there]);
    assert.equal(gone.code, 2);
    assert.equal(await Deno.readTextFile(`${there}/extra`), "11");
  });
  await t.step("C 25 an empty source deletes nothing without --allow-empty", async () => {
    const empty = `${directory.path}/unmounted`;
    await Deno.mkdir(empty);
    for (const source of [empty, `${directory.path}/missing`]) {
      const { code, stderr } = await client.run(["sync", "--delete", source, ":models/x"]);
      assert.deepEqual([code, /--allow-empty/.test(stderr)], [2, true], stderr);
    }
    assert.match(await run("--dry-run", here, ":models/x"), /were there already/);
    await run("--delete", "--allow-empty", empty, ":models/x");
    assert.match(await run("--dry-run", here, ":models/x"), /^\+ /);
  });
  await t.step("C 25 one of the directories is that of the server", async () => {
    for (const args of [["a", "b"], [":a", ":b"], ["a"], ["a", ":b", "c"]]) {
      const { code, stderr } = await client.run(["sync", ...args]);
      assert.deepEqual([code, /begins with a colon/.test(stderr)], [2, true]);
    }
  });
});
