import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { processesWith } from "../support/processes.ts";
import { run } from "../support/tools.ts";
import { blocksOf } from "./blocks.ts";
import { copyFiles, guideTest, MODELS } from "./guide.ts";

guideTest("README.md", {
  serves: false,
  prepare: (reader) => copyFiles(reader, MODELS),
  async verify(reader) {
    const { code, stdout } = await run("diff", ["-r", "models", "elsewhere/models"], {
      cwd: reader.directory,
    });
    assert.deepEqual([code, stdout], [0, ""]);
    if (Deno.build.os !== "linux") return;
    const left = await processesWith(`STRONGROOM_DATA_DIR=${reader.dataDir}`);
    assert.deepEqual([...left], []);
  },
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
