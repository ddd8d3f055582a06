import * as assert from "node:assert/strict";
import { firstInvitation } from "../../../cli/serve/first_administrator.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SERVER = "http://127.0.0.1:8080";

Deno.test("C 27 the first administrator is invited at each start, as long as nobody can sign in", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const one = await firstInvitation(store, SERVER);
  assert.match(one ?? "", /^http:\/\/localhost:8080\/#\/invitation\/[\w-]{32}$/);
  const two = await firstInvitation(store, SERVER);
  assert.ok(two !== undefined && two !== one);
  const admin = await store.people.findByName("admin");
  assert.deepEqual(admin?.groups, ["admins"]);
  await store.signIns.addPasskey({
    id: "key",
    person: admin?.number ?? 0,
    publicKey: new Uint8Array(),
    counter: 0,
    transports: [],
    label: "a key",
    createdAt: 1,
    usedAt: undefined,
  }, 20);
  assert.equal(await firstInvitation(store, SERVER), undefined);
});

Deno.test("C 27 a name that means somebody else invites nobody as an administrator", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const added = await store.people.add({
    ...{ kind: "person", name: "admin", groups: ["members"], createdAt: 1 },
    ...{ email: undefined, identity: undefined },
  });
  assert.equal(await firstInvitation(store, SERVER), undefined);
  assert.ok(typeof added === "object");
  await store.people.change(added.number, { groups: ["admins"], disabled: true }, 2);
  assert.equal(await firstInvitation(store, SERVER), undefined);
});
