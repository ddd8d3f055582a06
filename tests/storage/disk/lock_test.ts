import * as assert from "node:assert/strict";
import { DirectoryLock, lockState } from "../../../storage/disk/lock.ts";
import { TempDir } from "../../support/temp_dir.ts";

const acquire = (dataDir: string) => DirectoryLock.acquire(dataDir);

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
    await lock.recordGeneration(7);
    await lock.recordGeneration(12);
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

Deno.test("C 22 DirectoryLock tells a directory that was left by a crash from one that was changed", async (t) => {
  /** Leaves a directory as a killed server does, and returns whether it counts as such after a change. */
  const isSealed = async (change: (dataDir: string) => Promise<void>) => {
    await using directory = await TempDir.make();
    const dataDir = directory.path;
    await Deno.mkdir(`${dataDir}/blobs`);
    await Deno.writeTextFile(`${dataDir}/strongroom.db`, "");
    await Deno.writeTextFile(`${dataDir}/lock`, "");
    {
      using lock = await acquire(dataDir);
      await lock.recordGeneration(3);
    }
    await change(dataDir);
    const state = await lockState(dataDir);
    using lock = await acquire(dataDir);
    assert.deepEqual([lock.afterCrash, lock.sealed], [true, state.sealed]);
    return lock.sealed;
  };
  /** Replaces the time of the seal, as if the rest had happened later. */
  const age = async (dataDir: string, ms: number) => {
    const text = await Deno.readTextFile(`${dataDir}/lock`);
    const aged = text.replace(/\b\d{13}\b/, (time) => String(Number(time) - ms));
    assert.notEqual(aged, text);
    await Deno.writeTextFile(`${dataDir}/lock`, aged);
  };
  /** Replaces a file by its copy. */
  const replace = async (path: string) => {
    await Deno.copyFile(path, `${path}.copy`);
    await Deno.rename(`${path}.copy`, path);
  };
  await t.step("unchanged", async () => {
    assert.equal(await isSealed(() => Promise.resolve()), true);
  });
  const changes: Record<string, (dataDir: string) => Promise<void>> = {
    "the lock is written over by an old copy": (dataDir) => age(dataDir, 60_000),
    "the lock is replaced": (dataDir) => replace(`${dataDir}/lock`),
    "the lock is that of an earlier version": async (dataDir) => {
      const text = await Deno.readTextFile(`${dataDir}/lock`);
      await Deno.writeTextFile(`${dataDir}/lock`, text.split(" ").slice(0, 3).join(" "));
    },
    "the lock is removed": (dataDir) => Deno.remove(`${dataDir}/lock`),
    "the database is replaced": (dataDir) => replace(`${dataDir}/strongroom.db`),
    "the database is removed": (dataDir) => Deno.remove(`${dataDir}/strongroom.db`),
    "blobs/ is replaced": async (dataDir) => {
      await Deno.mkdir(`${dataDir}/copy`);
      await Deno.remove(`${dataDir}/blobs`);
      await Deno.rename(`${dataDir}/copy`, `${dataDir}/blobs`);
    },
    "blobs/ is removed": (dataDir) => Deno.remove(`${dataDir}/blobs`),
  };
  for (const [name, change] of Object.entries(changes)) {
    await t.step(name, async () => assert.equal(await isSealed(change), false));
  }
});

Deno.test("C 22 DirectoryLock treats a crash within a stop like any other", async () => {
  await using directory = await TempDir.make();
  await Deno.writeTextFile(`${directory.path}/strongroom.db`, "");
  {
    using lock = await acquire(directory.path);
    await lock.setSealed(true);
    await lock.recordGeneration(5);
    await lock.announceStop();
  }
  using lock = await acquire(directory.path);
  assert.deepEqual([lock.afterCrash, lock.sealed, lock.generation], [true, true, 5]);
});

Deno.test("C 22 DirectoryLock stays without a seal until all was compared, whatever comes between", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/lock`;
  await Deno.writeTextFile(path, "12345");
  for (let start = 0; start < 3; start++) {
    using lock = await acquire(directory.path);
    await lock.recordGeneration(start);
    assert.equal(lock.sealed, false);
  }
  {
    await Deno.writeTextFile(`${directory.path}/strongroom.db`, "");
    using lock = await acquire(directory.path);
    await lock.setSealed(true);
  }
  using lock = await acquire(directory.path);
  assert.equal(lock.sealed, true);
});
