import * as assert from "node:assert/strict";
import { readRange } from "../../../storage/content/read_range.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 22 readRange() reads 128 KiB at a time, and nothing ahead, of the first 8 MiB", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/file`;
  await Deno.writeFile(path, new Uint8Array(1_000_000).map((_, index) => index >> 8));
  const content = readRange(await Deno.open(path), { start: 1000, end: 900_000 });
  const first = (await content.next()).value;
  assert.equal(first?.length, 128 * 1024);
  // What has not been read yet changes.
  await Deno.writeFile(path, new Uint8Array(1_000_000).fill(7));
  const rest = await Array.fromAsync(content);
  assert.ok(rest.every((chunk) => chunk.length <= 128 * 1024 && chunk.every((byte) => byte === 7)));
  assert.equal(rest.reduce((sum, { length }) => sum + length, first.length), 899_000);
});
