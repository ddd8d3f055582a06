import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { blocksOf } from "./blocks.ts";
import { copyFiles, guideTest, MODELS } from "./guide.ts";
import { assertCameBack } from "./newcomer.ts";

guideTest("README.md", {
  serves: false,
  prepare: (reader) => copyFiles(reader, MODELS),
  verify: assertCameBack,
});

Deno.test("the README and CONTRIBUTING name only tasks that exist", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const names = new Set<string>();
  for (const path of ["README.md", "CONTRIBUTING.md"]) {
    const text = blocksOf(await Deno.readTextFile(ROOT + path)).map((it) => it.text).join("");
    for (const [, name = ""] of text.matchAll(/\btask (?:-q )?([\w:]+)/g)) names.add(name);
  }
  assert.ok(names.size >= 9, [...names].join());
  assert.deepEqual([...names].filter((name) => !Object.hasOwn(tasks, name)), []);
});
