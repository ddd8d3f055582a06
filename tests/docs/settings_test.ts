import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { strongroom } from "../support/child_server.ts";

Deno.test("C 13 docs/reference/settings.md has every setting, and no other", async () => {
  const { code, stdout, stderr } = await strongroom(["config"]);
  assert.equal(code, 0, stderr);
  const settings = stdout.matchAll(/^(STRONGROOM_\w+)=/gm).map(([, name = ""]) => name).toArray();
  assert.ok(settings.length > 40);
  const text = await Deno.readTextFile(`${ROOT}docs/reference/settings.md`);
  const rows = text.matchAll(/^\| (`[^|]*`) +\|/gm).map(([, cell = ""]) => cell).toArray();
  const documented = rows.flatMap(variablesOf);
  const ofCommands = ["STRONGROOM_URL", "STRONGROOM_TOKEN"];
  assert.deepEqual(documented.sort(), [...settings, ...ofCommands].sort());
});

/** The variables of a row. `_B` after `C_A` is short for `C_B`: the last word of the first is replaced. */
function variablesOf(cell: string): string[] {
  const names = cell.matchAll(/`(\w+)`/g).map(([, name = ""]) => name).toArray();
  const [first = ""] = names;
  return names.map((name) => {
    if (!name.startsWith("_")) return name;
    const words = name.split("_").length - 1;
    return first.split("_").slice(0, -words).join("_") + name;
  });
}
