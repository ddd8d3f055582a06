import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { COMMANDS_PATH, withHelp } from "./commands.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/commands.md", { serves: false });

Deno.test("C 25 docs/commands.md has the help of every command", async () => {
  const text = await Deno.readTextFile(ROOT + COMMANDS_PATH);
  assert.equal(text, withHelp(text), "run deno task docs");
});
