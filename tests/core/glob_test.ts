import * as assert from "node:assert/strict";
import { pathMatcher } from "../../core/glob.ts";

Deno.test("C 25 patterns match names, ends of paths and whole paths", async (t) => {
  const rows: [pattern: string, matching: string[], others: string[]][] = [
    ["*.pkl", ["a.pkl", "x/y/a.pkl", "./.pkl"], ["a.pklx", "a.pkl/b", "a.PKL"]],
    ["a?c", ["abc", "x/a𝒳c"], ["ac", "a/c", "abbc"]],
    ["tmp/*", ["tmp/a", "x/tmp/a"], ["tmp", "tmp/a/b", "xtmp/a"]],
    ["tmp/", ["tmp", "x/tmp"], ["tmp/a"]],
    ["tmp/**", ["tmp", "tmp/a", "x/tmp/a/b"], ["atmp/a"]],
    ["a/**/b", ["a/b", "a/x/b", "y/a/x/y/b"], ["a/xb", "a/b/c"]],
    ["/models/*.pt", ["/models/a.pt", "models/a.pt"], ["x/models/a.pt"]],
    ["./models", ["models", "./models"], ["modelsx"]],
    ["a*b*c", ["abc", "axbxbxc"], ["abcx", "acb"]],
    ["model[1].{bin}", ["model[1].{bin}"], ["model1.bin"]],
    ["*", ["a", "b/c"], [""]],
  ];
  for (const [pattern, matching, others] of rows) {
    await t.step(`C 25 ${pattern}`, () => {
      const matches = pathMatcher(pattern);
      assert.deepEqual(matching.filter((it) => !matches(it)), []);
      assert.deepEqual(others.filter((it) => matches(it)), []);
    });
  }
  await t.step("C 25 a hostile name or pattern takes no exponential time", () => {
    const matches = pathMatcher("*a".repeat(100) + "b");
    assert.equal(matches("a".repeat(4096)), false);
    const deep = pathMatcher("**/a/".repeat(100) + "b");
    assert.equal(deep("a/".repeat(2000)), false);
  });
});
