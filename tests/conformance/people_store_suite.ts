import * as assert from "node:assert/strict";
import type { NewPerson, PeopleStore, Person, PersonChange } from "../../core/people/store.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const DAY_MS = 24 * 60 * 60_000;

function person(name: string, changes: Partial<NewPerson> = {}): NewPerson {
  return {
    ...{ kind: "person", name, email: undefined, groups: [], identity: undefined, createdAt: 1000 },
    ...changes,
  };
}

async function added(people: PeopleStore, given: NewPerson): Promise<Person> {
  const made = await people.add(given);
  if (typeof made === "string") assert.fail(`${made} is taken`);
  return made;
}

async function changed(people: PeopleStore, number: number, change: PersonChange, now = 5000) {
  const made = await people.change(number, change, now);
  if (typeof made !== "object") assert.fail(made ?? "nobody");
  return made;
}

/** The conformance suite for every {@link PeopleStore}. */
export function peopleStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 27 a person is found by its number, name and identity", async ({ store: { people } }) => {
    const identity = { issuer: "https://login.example", subject: "Å|7" };
    const ana = await added(
      people,
      person("ana", { email: "Ana@example.org", groups: ["b", 'a "quoted"'], identity }),
    );
    assert.deepEqual(ana, {
      ...person("ana", { email: "Ana@example.org", groups: ["b", 'a "quoted"'], identity }),
      number: 1_000_001,
      disabledAt: undefined,
    });
    assert.deepEqual(await people.findByNumber(ana.number), ana);
    assert.deepEqual(await people.findByName("ana"), ana);
    assert.deepEqual(await people.findByIdentity(identity), ana);
    assert.equal(await people.findByNumber(7), undefined);
    assert.equal(await people.findByName("bob"), undefined);
    assert.equal(await people.findByIdentity({ ...identity, issuer: "https://x" }), undefined);
  });

  test("C 27 what another one has is not given again", async ({ store: { people } }) => {
    const identity = { issuer: "https://login.example", subject: "1" };
    const ana = await added(people, person("ana", { number: 7, identity }));
    const bob = await added(people, person("bob"));
    assert.equal(await people.add(person("ana")), "name");
    assert.equal(await people.add(person("cy", { number: 7 })), "number");
    assert.equal(await people.add(person("cy", { identity })), "identity");
    assert.equal(await people.change(bob.number, { name: "ana" }, 1), "name");
    assert.equal(await people.change(bob.number, { identity }, 1), "identity");
    assert.equal(await people.change(99, { name: "cy" }, 1), undefined);
    assert.deepEqual(await people.findByNumber(7), ana);
    assert.deepEqual(await people.findByName("bob"), bob);
    assert.equal(typeof await people.add(person("cy")), "object");
  });

  test("C 27 a former name goes on naming who had it, and nobody else", async ({ store: { people } }) => {
    const { number } = await added(people, person("ana"));
    const renamed = await changed(people, number, { name: "anna" });
    assert.equal(renamed.name, "anna");
    assert.deepEqual(await people.findByName("ana"), renamed);
    assert.deepEqual(await people.findByName("anna"), renamed);
    assert.equal(await people.add(person("ana")), "name");
    assert.equal((await changed(people, number, { name: "ana" })).name, "ana");
    assert.equal(await people.add(person("anna")), "name");
  });

  test("C 27 a new number is one that nothing is known of", async ({ store }) => {
    const { people, credentials } = store;
    const minted = { privileges: [], quota: undefined, label: undefined, parent: "p" };
    const times = { parentIssuedAt: 1, mintedAt: 1, expiresAt: DAY_MS };
    const trees = { 1_000_003: ["resources.view"] };
    await credentials.add({ ...minted, ...times, jti: "a", userId: 1_000_001, trees }, 9);
    await credentials.revokeUser(1_000_002, 1, 1);
    assert.equal((await added(people, person("ana"))).number, 1_000_004);
    await added(people, person("bob", { number: 1_000_005 }));
    assert.equal((await added(people, person("cy"))).number, 1_000_006);
  });

  test("C 27 people and teams are listed by name, in pages", async ({ store: { people } }) => {
    for (const name of ["cy", "ana", "b.b", "b-b"]) await added(people, person(name));
    await added(people, person("vision", { kind: "team" }));
    const names = async (limit: number, after?: string) =>
      (await people.list({ kind: "person", limit, after })).map(({ name }) => name);
    assert.deepEqual(await names(9), ["ana", "b-b", "b.b", "cy"]);
    assert.deepEqual(await names(2), ["ana", "b-b"]);
    assert.deepEqual(await names(9, "b-b"), ["b.b", "cy"]);
    const [team] = await people.list({ kind: "team", limit: 9 });
    assert.equal(team?.name, "vision");
  });

  test("C 27 who is disabled has no credential, nor one of before once enabled", async ({ store }) => {
    const { people, credentials } = store;
    const { number } = await added(people, person("ana", { email: "a@b", groups: ["g"] }));
    const isRevoked = (issuedAt: number) => credentials.isRevoked({ userId: number, issuedAt });
    assert.equal(await isRevoked(4000), false);
    const disabled = await changed(people, number, { disabled: true }, 5000);
    assert.equal(disabled.disabledAt, 5000);
    assert.deepEqual([disabled.email, disabled.groups], ["a@b", ["g"]]);
    assert.deepEqual([await isRevoked(4000), await isRevoked(9000)], [true, true]);
    const minted = {
      privileges: ["a"],
      trees: {},
      quota: undefined,
      label: undefined,
      parent: "p",
    };
    const times = { parentIssuedAt: 9000, mintedAt: 9000, expiresAt: DAY_MS };
    const mint = (jti: string) => credentials.add({ ...minted, ...times, jti, userId: number }, 9);
    assert.equal(await mint("while disabled"), false);
    assert.equal((await changed(people, number, { disabled: true }, 6000)).disabledAt, 5000);
    const enabled = await changed(people, number, { disabled: false, email: null }, 8000);
    assert.deepEqual([enabled.disabledAt, enabled.email], [undefined, undefined]);
    assert.deepEqual([await isRevoked(4000), await isRevoked(8000)], [true, true]);
    assert.equal(await isRevoked(8001), false);
    assert.equal(await mint("once enabled"), true);
  });
}
