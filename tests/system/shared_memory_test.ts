import * as assert from "node:assert/strict";
import { Writer } from "../../storage/sqlite/writer.ts";
import { mountable, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { run } from "../support/tools.ts";

Deno.test({
  name: "C 12 the memory that connections share has all its space when the database is open",
  ignore: !(await mountable()).has("ext4"),
  async fn() {
    // A small ext4 has blocks of 1 KiB.
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    const path = `${disk.path}/strongroom.db`;
    await Deno.writeFile(path, new Uint8Array());
    for (const start of ["first", "second"]) {
      const writer = new Writer();
      writer.open(path, { reserveBytes: 0, minGeneration: 0 });
      using _writer = { [Symbol.dispose]: () => writer.close() };
      assert.equal((await run("sync", ["-f", disk.path])).code, 0);
      const { size, blocks } = await Deno.stat(`${path}-shm`);
      assert.ok((blocks ?? 0) * 512 >= size, `${start} start: ${blocks} blocks, ${size} bytes`);
    }
  },
});
