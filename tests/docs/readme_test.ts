import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { blocksOf } from "./blocks.ts";

Deno.test("the README fits a screen: 150 lines of 100 columns, and images of 200 kB", async () => {
  const text = await Deno.readTextFile(`${ROOT}README.md`);
  const lines = text.trimEnd().split("\n");
  assert.ok(lines.length <= 150, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 100), []);
  const images = [...text.matchAll(/ src(?:set)?="([^"]+)"/g)].map(([, path = ""]) => path);
  assert.equal(images.length, 2);
  for (const path of images) assert.ok((await Deno.stat(ROOT + path)).size < 200_000, path);
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
