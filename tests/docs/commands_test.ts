import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { COMMANDS_PATH, withHelp } from "./commands.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/reference/commands.md", { serves: false });

Deno.test("C 25 docs/reference/commands.md has the help of every command", async () => {
  const text = await Deno.readTextFile(ROOT + COMMANDS_PATH);
  assert.equal(text, withHelp(text), "run deno task docs");
});

Deno.test("C 25 deno task docs writes it in a clean checkout, with its permissions", async () => {
  await using directory = await TempDir.make();
  const rooms = ["cli", "core", "schemas", "storage", "docs", "tests/docs"];
  for (const name of [...rooms, "deno.json", "deno.lock", "main.ts"]) {
    await run("cp", ["-r", "--parents", name, directory.path], { cwd: ROOT });
  }
  const written = await Deno.readTextFile(`${directory.path}/${COMMANDS_PATH}`);
  await Deno.writeTextFile(`${directory.path}/${COMMANDS_PATH}`, written.slice(0, -200));
  const { code, stderr } = await run(Deno.execPath(), ["task", "-q", "docs"], {
    cwd: directory.path,
  });
  assert.equal(code, 0, stderr);
  assert.equal(await Deno.readTextFile(`${directory.path}/${COMMANDS_PATH}`), written);
});
