import * as assert from "node:assert/strict";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { noise } from "../support/random.ts";
import { fillDisk, mountable, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

const kinds = await mountable();

for (const kind of ["tmpfs", "ext4", "btrfs"] as const) {
  Deno.test({
    name:
      `C 22 a stopped directory is checked and backed up, with no room to write to it (${kind})`,
    ignore: !kinds.has(kind),
    async fn(t) {
      await using disk = await smallDisk(SMALLEST_MB[kind], kind);
      assert.ok(disk);
      await using target = await TempDir.make();
      const dataDir = `${disk.path}/data`;
      const env = { STRONGROOM_DATA_DIR: dataDir, STRONGROOM_DISK_RESERVE_MB: "1" };
      {
        await using child = await ChildServer.start({ dataDir, env });
        const one = await child.as(1);
        assert.equal((await one.put("small", "content")).status, 201);
        assert.equal((await one.put("large", noise(200_000))).status, 201);
        assert.equal((await child.end("SIGTERM")).code, 0);
      }
      const succeed = async (...args: string[]) => {
        const { code, stdout, stderr } = await strongroom(args, env);
        assert.equal(code, 0, stdout + stderr);
      };
      const copyAndCheck = async (name: string) => {
        await succeed("check", "--read-data");
        await succeed("backup", `${target.path}/${name}`);
        // Again, as there is a former backup now.
        await succeed("backup", `${target.path}/${name}`);
        const restored = `${target.path}/${name}-restored`;
        const given = { STRONGROOM_DATA_DIR: restored };
        const { code, stderr } = await strongroom(["restore", `${target.path}/${name}`], given);
        assert.equal(code, 0, stderr);
        const checked = await strongroom(["check", "--read-data", "--json"], given);
        assert.equal(JSON.parse(checked.stdout).records, 2, checked.stderr);
      };
      await t.step("mounted read-only", async () => {
        assert.equal((await run("mount", ["-o", "remount,ro", disk.path])).code, 0);
        await copyAndCheck("read-only").finally(() =>
          run("mount", ["-o", "remount,rw", disk.path])
        );
      });
      // btrfs gives the space that SQLite frees in the shared memory only later.
      await t.step({
        name: "full",
        ignore: kind === "btrfs",
        fn: async () => {
          await fillDisk(disk, "filler");
          await copyAndCheck("full");
          await Deno.remove(`${disk.path}/filler`);
        },
      });
      await t.step("served again", async () => {
        await using child = await ChildServer.start({ dataDir, env });
        const one = await child.as(1);
        assert.equal((await one.file("GET", "small")).text, "content");
        assert.equal((await child.end("SIGTERM")).code, 0);
        await succeed("check", "--read-data");
      });
    },
  });
}
