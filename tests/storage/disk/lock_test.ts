import * as assert from "node:assert/strict";
import { DirectoryLock } from "../../../storage/disk/lock.ts";
import { TempDir } from "../../support/temp_dir.ts";

const acquire = (dataDir: string) => DirectoryLock.acquire(dataDir, () => {});

Deno.test("C 5.4 DirectoryLock reports a crash, and records its own process", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/lock`;
  await Deno.writeTextFile(path, "a process whose id was rather long, longer than any id\n");
  using lock = await acquire(directory.path);
  assert.equal(lock.afterCrash, true);
  assert.equal((await Deno.readTextFile(path)).trim(), String(Deno.pid));
});

Deno.test("C 5.4 DirectoryLock reports no crash after a clean stop", async () => {
  await using directory = await TempDir.make();
  const sizes = new Set<number>();
  const path = `${directory.path}/lock`;
  // What earlier versions left.
  await Deno.writeTextFile(path, "");
  for (let round = 0; round < 2; round++) {
    using lock = await acquire(directory.path);
    assert.equal(lock.afterCrash, false);
    sizes.add((await Deno.stat(path)).size);
    await lock.markCleanStop();
    sizes.add((await Deno.stat(path)).size);
  }
  // A full disk has no space for another size.
  assert.equal(sizes.size, 1);
  using _lock = await acquire(directory.path);
});

Deno.test("C 12 DirectoryLock holds while its file is removed", async () => {
  await using directory = await TempDir.make();
  await Deno.writeTextFile(`${directory.path}/strongroom.db`, "");
  {
    using _lock = await acquire(directory.path);
    await Deno.remove(`${directory.path}/lock`);
    await assert.rejects(acquire(directory.path), /in use by process/);
    // A new file would hide how the first one stops.
    await assert.rejects(Deno.stat(`${directory.path}/lock`), Deno.errors.NotFound);
  }
  using lock = await acquire(directory.path);
  assert.equal(lock.afterCrash, true);
});
