import * as assert from "node:assert/strict";
import { FreeSpace } from "../../../storage/disk/free_space.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("FreeSpace.has() compares with the free space", async () => {
  await using directory = await TempDir.make();
  const space = new FreeSpace(directory.path);
  for (let round = 0; round < 2; round++) {
    assert.equal(space.has(0), true);
    assert.equal(space.has(1), true);
    assert.equal(space.has(2 ** 60), false);
  }
});
