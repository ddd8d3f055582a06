import * as assert from "node:assert/strict";
import { firstInvitation } from "../../../cli/serve/first_administrator.ts";
import type { AuditEntry } from "../../../core/audit.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { TempDir } from "../../support/temp_dir.ts";

const SERVER = "http://127.0.0.1:8080";

/** An audit log that keeps what was done, and to whom. */
function auditLog() {
  const actions: string[] = [];
  const write = (...entries: readonly AuditEntry[]) => {
    actions.push(...entries.map(({ action, details }) => `${action} ${details?.name}`));
    return Promise.resolve();
  };
  return { actions, write };
}

Deno.test("C 27 the first administrator is invited at each start, as long as nobody can sign in", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const audit = auditLog();
  const one = await firstInvitation(store, SERVER, audit);
  assert.match(one ?? "", /^http:\/\/localhost:8080\/#\/invitation\/[\w-]{32}$/);
  const two = await firstInvitation(store, SERVER, audit);
  assert.deepEqual(audit.actions, ["users.add admin", "users.invite admin", "users.invite admin"]);
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
  assert.equal(await firstInvitation(store, SERVER, auditLog()), undefined);
});

Deno.test("C 27 a name that means somebody else invites nobody as an administrator", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const added = await store.people.add({
    ...{ kind: "person", name: "admin", groups: ["members"], createdAt: 1 },
    ...{ email: undefined, identity: undefined },
  });
  assert.equal(await firstInvitation(store, SERVER, auditLog()), undefined);
  assert.ok(typeof added === "object");
  await store.people.change(added.number, { groups: ["admins"], disabled: true }, 2);
  assert.equal(await firstInvitation(store, SERVER, auditLog()), undefined);
});
