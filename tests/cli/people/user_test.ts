import * as assert from "node:assert/strict";
import { auditOf } from "../../support/audit.ts";
import { strongroom } from "../../support/child_server.ts";
import { engineSettings } from "../../support/engines.ts";
import { SECRET, TestServer } from "../../support/server.ts";

Deno.test("C 27 people and teams are changed beside a running server, which knows at once", async (t) => {
  await using server = await TestServer.start();
  const run = async (line: string) => {
    const settings = {
      ...await engineSettings(server.dataDir),
      STRONGROOM_DATA_DIR: server.dataDir,
      STRONGROOM_JWT_SECRET: SECRET,
    };
    const { code, stdout, stderr } = await strongroom(line.split(" "), settings);
    return code === 0 ? stdout.trimEnd() : `${code} ${stderr.trimEnd()}`;
  };

  await t.step("added, listed and shown", async () => {
    const line = "1000001  ana  a@b.example  groups: research";
    assert.equal(await run("user add Ana --email a@b.example --group research"), line);
    assert.equal(await run("team add vision --number 9"), "      9  vision");
    const { name, groups } = JSON.parse(await run("user show ana --json"));
    assert.deepEqual([name, groups], ["ana", ["research"]]);
    assert.equal(await run("user list"), line);
    assert.equal(JSON.parse(await run("team list --json")).name, "vision");
  });
  await t.step("renamed, and put in other groups", async () => {
    assert.equal(await run("user groups ana --add a --add b --remove research"), "a\nb");
    assert.match(await run("user rename ana anna"), /^1000001 {2}anna /);
    assert.match(await run("user rename anna vision"), /^2 strongroom: The name "vision" is taken/);
  });
  await t.step("disabled, which ends what they hold", async () => {
    const user = await server.as(1_000_001);
    assert.equal((await user.list()).status, 200);
    assert.match(await run("user disable anna"), / disabled \d/);
    assert.equal((await user.list()).status, 401);
    assert.match(
      await run("token --user anna --admin"),
      /^2 strongroom: "anna" is disabled; see strongroom user enable$/,
    );
    assert.doesNotMatch(await run("user enable anna"), /disabled/);
    assert.equal((await user.list()).status, 401);
    assert.equal((await (await server.as(1_000_001)).list()).status, 200);
  });
  await t.step("refused", async () => {
    assert.equal(
      await run("token --user vision --admin"),
      '2 strongroom: "vision" is a team, which has no credential: use --tree',
    );
    assert.equal(await run("user show vision"), '2 strongroom: No person "vision"');
    assert.equal(await run("user disable nobody"), '2 strongroom: No person "nobody"');
    assert.match(await run("user add own"), /^2 strongroom: Invalid name: "own" is reserved$/);
    assert.match(await run("user"), /^2 strongroom: user needs a command: list, show, add/);
  });
  await t.step("in the audit log, by number and name", async () => {
    const lines = (await auditOf(server)).filter(({ action }) => action === "users.change");
    const shown = lines.map(({ tree, tree_name, groups, disabled }) => [
      ...[tree, tree_name, groups, disabled],
    ]);
    assert.deepEqual(shown, [
      [1_000_001, "ana", "a,b", undefined],
      [1_000_001, "anna", "a,b", undefined],
      [1_000_001, "anna", "a,b", "yes"],
      [1_000_001, "anna", "a,b", undefined],
    ]);
  });
});
