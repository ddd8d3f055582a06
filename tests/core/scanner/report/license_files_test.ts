import * as assert from "node:assert/strict";
import { report, scanOf } from "./outcomes.ts";

Deno.test("SR 2.5 license_files_nearby lists license files of the folder and two folders above", async (t) => {
  const near = (path: string, ...others: string[]) =>
    report(...[path, ...others].map((it) => ({ path: it, scan: scanOf([]) })))
      .file_metadata[path]?.license_files_nearby;
  await t.step("matches file names", () => {
    const licenses = ["d/LICENSE", "d/licence.txt", "d/COPYING.md", "d/Notice", "d/legal.rst"];
    const others = ["d/LICENSE.py", "d/my-license", "d/unlicense", "d/license.txt.bak"];
    assert.deepEqual(near("d/a.pt", ...licenses, ...others), licenses);
  });
  await t.step("lists the nearest first, none further away", () => {
    const found = near(
      "a/b/c/m.pt",
      "LICENSE",
      "a/LICENSE",
      "a/b/LICENSE",
      "a/b/c/LICENSE",
      "a/b/c/d/LICENSE",
      "x/LICENSE",
    );
    assert.deepEqual(found, ["a/b/c/LICENSE", "a/b/LICENSE", "a/LICENSE"]);
  });
  await t.step("leaves out the file itself", () => {
    assert.deepEqual(near("LICENSE", "COPYING"), ["COPYING"]);
  });
  await t.step("lists at most ten", () => {
    const names = ["license", "licence", "copying", "notice", "copyright", "legal"];
    const many = names.flatMap((it) => [it, `${it}.txt`, `${it}.md`]);
    assert.equal(near("m.pt", ...many)?.length, 10);
    assert.equal(near("license", ...many.slice(1))?.length, 10);
  });
});
