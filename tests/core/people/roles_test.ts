import * as assert from "node:assert/strict";
import {
  type Attempt,
  decide,
  rightsByRoles,
  type Role,
  type Roles,
} from "../../../core/people/roles.ts";
import type { Person } from "../../../core/people/store.ts";

function person(number: number, name: string, changes: Partial<Person> = {}): Person {
  return {
    ...{ number, name, kind: "person", email: undefined, groups: [], identity: undefined },
    ...{ createdAt: 1, disabledAt: undefined },
    ...changes,
  };
}

const ROLES: Roles = new Map<string, Role>([
  ["research", {
    privileges: ["resources.view", "resources.upload"],
    trees: { vision: ["resources.view", "resources.download"], "8": ["resources.view"] },
  }],
  ["writers", { privileges: ["resources.delete"], trees: { Vision: ["resources.upload"] } }],
  ["admins", { privileges: ["resources.admin"], trees: {} }],
  ["scanners", { privileges: ["scans.run"], trees: {} }],
]);

/** Teams that there are, by name. */
function teams(...names: string[]) {
  const known = new Map(names.map((name, index) => [name, person(9 + index, name)]));
  return {
    known,
    findByName: (name: string) => Promise.resolve(known.get(name)),
  };
}

Deno.test("C 27 a person may do what any of its groups permits, and nothing in none that roles name", async () => {
  const people = teams("vision");
  const rightsOf = rightsByRoles(ROLES, people);
  const both = await rightsOf(person(7, "ana", { groups: ["research", "writers", "unknown"] }));
  assert.deepEqual([...both.privileges].sort(), [
    "resources.delete",
    "resources.upload",
    "resources.view",
  ]);
  assert.deepEqual([...both.trees].map(([tree, names]) => [tree, [...names]]).sort(), [
    [8, ["resources.view"]],
    [9, ["resources.view", "resources.download", "resources.upload"]],
  ]);
  const none = await rightsOf(person(8, "bob", { groups: ["unknown"] }));
  assert.deepEqual(none, { privileges: new Set(), trees: new Map() });
});

Deno.test("C 27 a tree whose name nobody has counts from when somebody has it", async () => {
  const people = teams();
  const rightsOf = rightsByRoles(ROLES, people);
  const ana = person(7, "ana", { groups: ["writers"] });
  assert.deepEqual((await rightsOf(ana)).trees, new Map());
  people.known.set("vision", person(9, "vision"));
  assert.deepEqual((await rightsOf(ana)).trees, new Map([[9, new Set(["resources.upload"])]]));
});

Deno.test("C 27 a name that somebody may have chosen at a provider is no tree that roles name", async () => {
  const people = teams();
  const identity = { issuer: "https://login.example", subject: "mallory" };
  people.known.set("vision", person(66, "vision", { identity }));
  const ana = person(7, "ana", { groups: ["writers"] });
  assert.deepEqual((await rightsByRoles(ROLES, people)(ana)).trees, new Map());
});

Deno.test("C 27 what another group permits in a tree takes nothing from an administrator there", async () => {
  const rightsOf = rightsByRoles(ROLES, teams("vision"));
  const ana = person(7, "ana", { groups: ["research", "admins"] });
  const attempt = { person: ana, privilege: "resources.delete", tree: 9 } as const;
  assert.equal((await decide(rightsOf, attempt, ROLES.keys())).isAllowed, true);
});

Deno.test("C 27 whether a person may do something is told with the groups that permit it", async () => {
  const rightsOf = rightsByRoles(ROLES, teams("vision"));
  const ask = async (groups: string[], attempt: Omit<Attempt, "person">, changes = {}) => {
    const ana = person(7, "ana", { groups, ...changes });
    const { isAllowed, groups: by } = await decide(
      rightsOf,
      { person: ana, ...attempt },
      ROLES.keys(),
    );
    return [isAllowed, ...by];
  };
  const view = { privilege: "resources.view" } as const;
  assert.deepEqual(await ask(["writers", "research"], view), [true, "research"]);
  assert.deepEqual(await ask(["writers"], view), [false, "research", "admins"]);
  assert.deepEqual(await ask(["research"], { ...view, tree: 9 }), [true, "research"]);
  assert.deepEqual(await ask(["research"], { privilege: "resources.upload", tree: 9 }), [
    false,
    "writers",
    "admins",
  ]);
  assert.deepEqual(await ask(["admins"], { ...view, tree: 99 }), [true, "admins"]);
  assert.deepEqual(await ask(["admins"], { privilege: "users.admin" }), [true, "admins"]);
  assert.equal((await ask(["research"], view, { disabledAt: 5 }))[0], false);
  // A report reveals content.
  assert.deepEqual(await ask(["scanners"], { privilege: "scans.run" }), [false, "admins"]);
});
