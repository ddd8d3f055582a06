import * as assert from "node:assert/strict";
import { type ListedFiles, pairListed } from "../../../core/compare/file_pairs.ts";

function listed(paths: readonly string[], isComplete: boolean): ListedFiles {
  const files = new Map(paths.map((path) => [path, {
    ...{ id: 1, userId: 1, path: `m/${path}`, name: path, hash: path.repeat(32), size: 1 },
    ...{ crc32: 0, isDir: false, createdAt: 0, updatedAt: 0 },
  }]));
  return { files, isComplete };
}

Deno.test("C 29 what a list was too short for is neither added nor removed", () => {
  const found = pairListed(listed(["b", "c", "d"], false), listed(["a", "b", "c"], false));
  assert.deepEqual(found.pairs.map(({ path, from, to }) => [path, from?.name, to?.name]), [
    ["a", undefined, "a"],
  ]);
  assert.deepEqual([found.equal, found.isComplete], [2, false]);
  const whole = pairListed(listed(["b", "c", "d"], true), listed(["a", "b", "c"], false));
  assert.deepEqual(whole.pairs.map(({ path }) => path), ["a"]);
  const both = pairListed(listed(["b", "c", "d"], true), listed(["a", "b", "c"], true));
  assert.deepEqual(both.pairs.map(({ path }) => path), ["a", "d"]);
  assert.equal(both.isComplete, true);
});
