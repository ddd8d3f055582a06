import * as assert from "node:assert/strict";
import { protocol } from "./protocol.ts";
import { type Guard, GUARDS, RULES, type Rules } from "./rules.ts";
import { type Exploration, explore } from "./search.ts";

const LOST = "the content of a record is lost";
const GARBAGE = "garbage stays for ever";
const LEAKED = "no row names an object";

/** Uploads, deletions, crashes and broken connections of one server, one object at a time. */
const LEAST: Rules = {
  ...RULES,
  servers: 1,
  objects: 1,
  multipart: false,
  waiting: false,
  damage: false,
  copies: false,
  readers: false,
  slowServers: false,
};

const TWO_SERVERS: Partial<Rules> = { servers: 2 };
const TWO_OBJECTS: Partial<Rules> = { servers: 2, objects: 2 };

function search(rules: Rules, cleanable = true): Exploration {
  return explore(protocol(rules), { maxStates: 200_000, cleanable });
}

/** The instances that are searched as a whole. `deno task test:protocol` searches larger ones. */
const INSTANCES: readonly (readonly [string, Rules])[] = [
  ["one server with an embedded database", {
    ...RULES,
    servers: 1,
    slowServers: false,
    embedded: true,
  }],
  ["one server with a database of its own", { ...RULES, servers: 1 }],
  ["two servers, one of them slow", { ...LEAST, ...TWO_OBJECTS, slowServers: true }],
  ["two servers with copies, damage and waiting content", {
    ...LEAST,
    ...TWO_OBJECTS,
    copies: true,
    damage: true,
    waiting: true,
  }],
  ["two servers with readers", { ...LEAST, ...TWO_OBJECTS, readers: true }],
];

for (const [name, rules] of INSTANCES) {
  Deno.test(`C 5, C 23: content is neither lost nor kept for ever: ${name}`, () => {
    const { states, violation } = search(rules);
    assert.equal(violation, undefined, violation?.trace.join("\n"));
    assert.ok(states > 1000, `only ${states} states`);
  });
}

/** What happens without guards. A violation needs no more than these rules. */
const MUTANTS: readonly (readonly [readonly Guard[], string, Partial<Rules>])[] = [
  [["announced"], LEAKED, {}],
  [["newNames"], LOST, {}],
  [["arrivingChecked"], LOST, { ...TWO_SERVERS, slowServers: true }],
  [["leaseBeforeSending"], LEAKED, { ...TWO_SERVERS, slowServers: true }],
  [["leasesExpire"], GARBAGE, {}],
  [["waitingExempt"], "waiting content is lost", { waiting: true }],
  [["leavingBeforeDeletion"], LOST, {}],
  [["failureRecorded"], GARBAGE, {}],
  [["secondDeletion"], LEAKED, {}],
  [["multipartAborted"], LEAKED, { multipart: true }],
  [["createNotRetried"], GARBAGE, { multipart: true }],
  [["replacementCompared"], LEAKED, { servers: 2, objects: 3, damage: true }],
  [["foreignKey"], LOST, { ...TWO_SERVERS, copies: true }],
  [["foreignKey", "contentLocked"], LOST, TWO_OBJECTS],
  [["foreignKey", "checkedUnderLock"], LOST, TWO_OBJECTS],
  [["droppedQueue"], GARBAGE, TWO_OBJECTS],
  [["droppedByRow"], GARBAGE, TWO_OBJECTS],
  [["readersLookAgain"], "a reader of an existing record fails", {
    objects: 2,
    damage: true,
    readers: true,
  }],
];

for (const [guards, property, rules] of MUTANTS) {
  Deno.test(`C 23: without ${guards.join(" and ")}, ${property}`, () => {
    const { violation } = search({ ...LEAST, ...rules, without: new Set(guards) });
    assert.equal(violation?.property, property, violation?.trace.join("\n"));
    assert.ok(violation.trace.length > 0);
  });
}

Deno.test("C 23: each guard is left out once", () => {
  const leftOut = new Set(MUTANTS.flatMap(([guards]) => guards));
  assert.deepEqual(Object.keys(GUARDS).filter((it) => !leftOut.has(it as Guard)), []);
});

Deno.test("C 23: a server that goes on without its lease loses nothing", () => {
  const rules = { ...LEAST, ...TWO_SERVERS, slowServers: true };
  const { violation } = search({ ...rules, without: new Set(["leaseBeforeSending"]) }, false);
  assert.equal(violation, undefined, violation?.trace.join("\n"));
});

Deno.test("C 23: the foreign key alone protects content from an early look for records", () => {
  const rules = { ...LEAST, ...TWO_OBJECTS, copies: true };
  const { violation } = search({
    ...rules,
    without: new Set(["contentLocked", "checkedUnderLock"]),
  });
  assert.equal(violation, undefined, violation?.trace.join("\n"));
});
