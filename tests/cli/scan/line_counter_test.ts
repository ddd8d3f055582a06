import * as assert from "node:assert/strict";
import { LineCounter } from "../../../cli/scan/line_counter.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 25 a position in a text has a line, and one in a binary file has none", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/a.json`;
  const long = `${"x\n".repeat(700_000)}last`;
  await Deno.writeTextFile(path, long);
  const lines = new LineCounter();
  assert.equal(lines.lineOf(path, 0), 1);
  assert.equal(lines.lineOf(path, 1_400_000), 700_001);
  assert.equal(lines.lineOf(path, 2), 2);
  assert.equal(lines.lineOf(path, 1_399_999), 700_000);
  assert.equal(lines.lineOf(path, 5_000_000), undefined);
  assert.equal(lines.lineOf(`${path}.gone`, 3), undefined);
  await Deno.writeFile(path, Uint8Array.of(0x0a, 0, 0x0a));
  assert.equal(new LineCounter().lineOf(path, 1), 2);
  assert.equal(new LineCounter().lineOf(path, 3), undefined);
});
