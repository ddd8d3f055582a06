import * as assert from "node:assert/strict";
import { locationOf } from "../../../../core/scanner/report/location.ts";

Deno.test("C 16 locationOf() splits a location, even if a path contains separators", async (t) => {
  const paths = new Set(["a", "a:b", "dir/c.zip", "p (pos 1)"]);
  const rows: [string, ReturnType<typeof locationOf>][] = [
    ["a", { path: "a" }],
    ["a (pos 7)", { path: "a", position: 7 }],
    ["a:m", { path: "a", member: "m" }],
    ["a:b", { path: "a:b" }],
    ["a:b:m:n (pos 0)", { path: "a:b", member: "m:n", position: 0 }],
    ["dir/c.zip:in/d:e", { path: "dir/c.zip", member: "in/d:e" }],
    ["p (pos 1)", { path: "p (pos 1)" }],
    ["p (pos 1) (pos 2)", { path: "p (pos 1)", position: 2 }],
    ["elsewhere:m (pos 3)", { path: "elsewhere:m", position: 3 }],
  ];
  for (const [text, expected] of rows) {
    await t.step(text, () => assert.deepEqual(locationOf(text, paths), expected));
  }
});
