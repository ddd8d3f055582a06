import * as assert from "node:assert/strict";
import { auditOf } from "../../support/audit.ts";
import { TestAuthenticator } from "../../support/authenticator.ts";
import { strongroom } from "../../support/child_server.ts";
import { TestConsole } from "../../support/console.ts";
import { TestServer } from "../../support/server.ts";

Deno.test("C 27 invite adds a person, and prints a link for one use, beside a running server", async (t) => {
  await using server = await TestServer.start();
  const invite = (...args: string[]) =>
    strongroom(["invite", ...args], {
      STRONGROOM_DATA_DIR: server.dataDir,
      STRONGROOM_PORT: "9123",
    });
  const { code, stdout, stderr } = await invite("Ana", "--group", "admins", "--group", "vision");
  assert.equal(code, 0, stderr);
  const url = stdout.trim();

  await t.step("at a host that has a name, as passkeys need one", () => {
    assert.match(url, /^http:\/\/localhost:9123\/#\/invitation\/[\w-]{32}$/);
  });
  await t.step("the person is the first administrator of the console", async () => {
    const ana = new TestConsole(server);
    const { status, msg, data } = await ana.accept(url, new TestAuthenticator());
    assert.equal(status, 200, msg);
    assert.equal(data.user_name, "ana");
    assert.deepEqual(data.privileges.toSorted(), ["resources.admin", "users.admin"]);
    const { groups } = await ana.ask("GET", "/api/users/ana");
    assert.deepEqual(groups, ["admins", "vision"]);
  });
  await t.step("one who is known is invited again, and keeps its groups", async () => {
    const again = await invite("ana");
    assert.equal(again.code, 0, again.stderr);
    assert.notEqual(again.stdout.trim(), url);
    const refused = await invite("ana", "--group", "vision");
    assert.deepEqual([refused.code, refused.stdout], [2, ""]);
    assert.match(refused.stderr, /"ana" is known already/);
  });
  await t.step("in the audit log, without the link", async () => {
    const lines = (await auditOf(server)).filter(({ action }) => action === "users.invite");
    assert.equal(lines.length, 2);
    const added = (await auditOf(server)).filter(({ action }) => action === "users.add");
    assert.deepEqual(added.map(({ name, groups }) => [name, groups]), [["ana", "admins,vision"]]);
    assert.doesNotMatch(JSON.stringify(lines), new RegExp(url.slice(-32)));
  });
  await t.step("a wrong name is refused", async () => {
    for (const args of [[], ["a", "b"], ["7"], ["own"]]) {
      assert.equal((await invite(...args)).code, 2, args.join());
    }
  });
});
