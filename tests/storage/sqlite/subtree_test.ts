import * as assert from "node:assert/strict";
import { isBelow } from "../../../core/paths.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { descendantOf } from "../../../storage/sqlite/subtree.ts";

Deno.test("descendantOf() selects the same paths as isBelow()", () => {
  using connection = new Connection(":memory:", { readOnly: false });
  const paths = ["a", "a/", "a/b", "a/b/c", "a-", "a.b", "a0", "a0/b", "ab", "A/b", "b/a/b", "a/é"];
  for (const root of ["a", "a/b", "a0", "b", "é"]) {
    const rows = connection.all(
      `SELECT value AS path FROM json_each(:paths) WHERE ${descendantOf("value", ":root")}`,
      { paths: JSON.stringify(paths), root },
    );
    const expected = paths.filter((path) => path !== "a/" && isBelow(path, root));
    assert.deepEqual(rows.map(({ path }) => path), expected, root);
  }
});
