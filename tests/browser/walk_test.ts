import * as assert from "node:assert/strict";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { HAS_BROWSER } from "./browser.ts";
import { walk } from "./walk.ts";

Deno.test({
  name: "C 24 a person uploads a folder, finds the dangerous file, reads why, downloads the rest",
  ignore: !HAS_BROWSER,
  async fn() {
    await using directory = await TempDir.make();
    const steps: string[] = [];
    const saved = `${directory.path}/rest.zip`;
    await walk({}, { saved, take: (_page, title) => Promise.resolve(void steps.push(title)) });
    assert.equal(steps.length, 7);
    const { code } = await run("unzip", ["-q", saved, "-d", directory.path]);
    assert.equal(code, 0);
    const folder = `${directory.path}/llama-finetuned`;
    const text = await Deno.readTextFile(`${folder}/config.json`);
    assert.equal(text, '{"hidden_size":4096}');
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.deepEqual(names.sort(), ["config.json", "tokenizer.json"]);
  },
});
