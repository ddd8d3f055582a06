import * as assert from "node:assert/strict";
import { reloadedRights } from "../../../cli/serve/rights.ts";
import { Log } from "../../../core/log.ts";
import { readSettings } from "../../../schemas/settings.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 27 trees that roles name, and nobody has, are warned of with their lines, as far as they are few", async () => {
  await using directory = await TempDir.make();
  const { path: dataDir } = directory;
  const names = Array.from({ length: 12 }, (_, index) => `team-${index}`);
  await Deno.writeTextFile(
    `${dataDir}/strongroom.toml`,
    names.map((it) => `[roles.${it}]\ntrees = { ${it} = ["view"] }\n`).join(""),
  );
  const lines: string[] = [];
  const log = new Log({ level: "info", format: "json", write: (line) => lines.push(line) });
  const settings = { ...readSettings(() => undefined), dataDir };
  const people = { findByName: () => Promise.resolve(undefined) };
  await reloadedRights(settings, people, { log, reloads: { add() {} } });
  const said = lines.map((line) => JSON.parse(line));
  assert.deepEqual(
    said.map(({ tree, line, trees }) => tree === undefined ? trees : [tree, line]),
    [...names.slice(0, 10).map((it, index) => [it, 2 * index + 2]), 2],
  );
});
