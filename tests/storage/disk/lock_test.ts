import * as assert from "node:assert/strict";
import { DirectoryLock } from "../../../storage/disk/lock.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 5.4 DirectoryLock reports a crash, and records its own process", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/lock`;
  await Deno.writeTextFile(path, "a process whose id was rather long\n");
  using lock = await DirectoryLock.acquire(directory.path);
  assert.equal(lock.afterCrash, true);
  assert.equal(await Deno.readTextFile(path), `${Deno.pid}\n`);
});
