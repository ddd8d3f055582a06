import * as assert from "node:assert/strict";
import { auditPath } from "../../../storage/disk/data_directory.ts";
import { ChildServer, strongroom } from "../../support/child_server.ts";
import { dataOf } from "../../support/client.ts";
import { DavClient } from "../../support/dav.ts";
import { HubClient, jsonOf } from "../../support/hub.ts";
import { TestConsole } from "../../support/console.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 27 a server without people, roles and a provider knows numbers alone, as before", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  await using server = await ChildServer.start({ dataDir });
  const one = await server.as(1);
  const admin = await server.as(1000, ["resources.admin"]);

  await t.step("credentials may do what they state, at every door", async () => {
    assert.equal((await one.put("d/a.txt", "hello")).status, 201);
    assert.equal((await (await server.as(2, ["resources.view"])).put("a", "a")).status, 403);
    assert.deepEqual(await admin.paths({ tree: "1" }), ["d"]);
    const dav = new DavClient(server, one);
    assert.equal((await dav.send("GET", "d/a.txt")).text, "hello");
    const hub = new HubClient(server, one);
    assert.equal((await hub.create("o/m")).status, 200);
    jsonOf(await hub.send("GET", "/api/models/o/m"));
  });
  await t.step("replies have numbers, and no names", async () => {
    assert.deepEqual(dataOf(await admin.send("GET", "/users/")), { items: [], total: 0 });
    assert.deepEqual(dataOf(await admin.send("GET", "/teams/")), { items: [], total: 0 });
    const usage = JSON.stringify(dataOf(await admin.send("GET", "/users/usage")));
    assert.match(usage, /"user_id":1,"user_name":null/);
  });
  await t.step(
    "the console asks for a credential, whose session is not one of a person",
    async () => {
      const browser = new TestConsole(server);
      assert.deepEqual(await browser.ask("GET", "/sign-in"), { passkeys: false, provider: null });
      const session = await browser.ask("POST", "/session", { credential: one.token });
      const { user_id, user_name, is_person, of_provider } = session;
      assert.deepEqual([user_id, user_name, is_person, of_provider], [1, null, false, false]);
      assert.equal((await browser.send("POST", "/device", undefined)).status >= 400, true);
    },
  );
  await t.step("nobody is added, invited or named", async () => {
    assert.doesNotMatch(server.log, /invitation|Nobody signs in/);
    for (const verb of ["user", "team"]) {
      const { code, stdout } = await strongroom([verb, "list"], { STRONGROOM_DATA_DIR: dataDir });
      assert.deepEqual([code, stdout], [0, ""], verb);
    }
    const audit = await Deno.readTextFile(auditPath(dataDir));
    for (const line of audit.trimEnd().split("\n")) {
      const entry: Record<string, unknown> = JSON.parse(line);
      assert.doesNotMatch(String(entry.action), /^users\.(?!usage)|passkey|teams/);
      assert.deepEqual(Object.keys(entry).filter((key) => /name/.test(key)), [], line);
    }
  });
});
