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
  assert.match(await Deno.readTextFile(path), new RegExp(`^${Deno.pid} 0 `));
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

Deno.test("C 22 DirectoryLock keeps the generation of the database, and recognizes a copy", async () => {
  await using directory = await TempDir.make();
  await using copy = await TempDir.make();
  {
    using lock = await acquire(directory.path);
    assert.equal(lock.generation, 0);
    lock.recordGeneration(7);
    lock.recordGeneration(12);
    await Deno.copyFile(`${directory.path}/lock`, `${copy.path}/lock`);
  }
  for (const { path } of [directory, copy]) {
    using lock = await acquire(path);
    assert.deepEqual([lock.generation, lock.afterCrash], [12, true]);
    await lock.markCleanStop();
  }
  await Deno.rename(`${directory.path}/lock`, `${copy.path}/lock`);
  {
    using lock = await acquire(copy.path);
    assert.deepEqual([lock.generation, lock.afterCrash], [12, false]);
    await lock.markCleanStop();
  }
  await Deno.copyFile(`${copy.path}/lock`, `${directory.path}/lock`);
  using lock = await acquire(directory.path);
  assert.deepEqual([lock.generation, lock.afterCrash], [12, true]);
});
