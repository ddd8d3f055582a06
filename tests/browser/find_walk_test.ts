import * as assert from "node:assert/strict";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { HAS_BROWSER } from "./browser.ts";
import { findWalk } from "./find_walk.ts";

for (
  const [screen, viewport] of [
    ["a wide screen", { width: 1280, height: 800 }],
    ["a phone", { width: 390, height: 844 }],
  ] as const
) {
  Deno.test({
    name:
      `C 29 on ${screen}, a person finds a model by three facts, reads what changed, and downloads it`,
    ignore: !HAS_BROWSER,
    async fn() {
      await using directory = await TempDir.make();
      const steps: string[] = [];
      const saved = `${directory.path}/model.zip`;
      const take = (_: unknown, title: string) => Promise.resolve(void steps.push(title));
      await findWalk({ viewport }, { saved, take });
      assert.deepEqual(steps, ["files", "models", "found", "model", "changes", "saved"]);
      const { code, stderr } = await run("unzip", ["-q", saved, "-d", directory.path]);
      assert.equal(code, 0, stderr);
      const config = await Deno.readTextFile(`${directory.path}/config.json`);
      assert.match(config, /"max_position_embeddings": 8192/);
    },
  });
}
