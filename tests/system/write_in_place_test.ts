import * as assert from "node:assert/strict";
import { ChildServer, strongroom } from "../support/child_server.ts";
import { fillDisk, mountable, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { hasProgram, run } from "../support/tools.ts";

const isPossible = (await mountable()).has("btrfs") &&
  await hasProgram("sh", "-c", "command -v chattr");
if (!isPossible) console.log("btrfs cannot be mounted here: its tests are skipped");

Deno.test({
  name:
    "C 12 a start has btrfs write the database in place, so that a disk that others fill ends no server",
  ignore: !isPossible,
  async fn(t) {
    await using disk = await smallDisk(SMALLEST_MB.btrfs, "btrfs");
    assert.ok(disk);
    const dataDir = `${disk.path}/data`;
    const isInPlace = async (name: string) => {
      const { stdout } = await run("lsattr", ["-d", `${dataDir}/${name}`]);
      return stdout.split(" ", 1)[0]?.includes("C");
    };
    const check = () => strongroom(["check"], { STRONGROOM_DATA_DIR: dataDir });
    await t.step("a server that may run no programs leaves it", async () => {
      const env = { STRONGROOM_SCAN_ISOLATION: "thread", STRONGROOM_DISK_RESERVE_MB: "8" };
      await using child = await ChildServer.start({ dataDir, env });
      const one = await child.as(1);
      assert.equal((await one.put("f", "content")).status, 201);
      assert.equal((await child.end("SIGTERM")).code, 0);
      assert.equal(await isInPlace("strongroom.db"), false);
      assert.match((await check()).stderr, /is on btrfs, which writes no file in place/);
    });
    await t.step("the files of an existing one are copied", async () => {
      await using child = await ChildServer.start({ dataDir });
      assert.match(child.log, /"btrfs writes the database in place from now on \(chattr \+C\)"/);
      for (const name of ["strongroom.db", "strongroom.db-wal", "strongroom.db-shm"]) {
        assert.equal(await isInPlace(name), true, name);
      }
      const one = await child.as(1);
      assert.equal((await one.file("GET", "f")).text, "content");
      assert.equal((await child.end("SIGTERM")).code, 0);
      assert.equal((await check()).stderr, "");
    });
    await t.step("a start on a full disk", async () => {
      await fillDisk(disk, "foreign");
      await using child = await ChildServer.start({ dataDir });
      assert.equal(child.log.includes("in place"), false);
      const one = await child.as(1);
      assert.equal((await one.file("GET", "f")).text, "content");
      assert.equal((await child.end("SIGTERM")).code, 0);
    });
  },
});
