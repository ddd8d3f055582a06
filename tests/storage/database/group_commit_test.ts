import * as assert from "node:assert/strict";
import { GroupCommit, type TransactionControl } from "../../../storage/database/group_commit.ts";

/** An engine that notes what is asked of it, and fails where it is told to. */
function recorder(failing: Partial<Record<keyof TransactionControl, boolean>> = {}) {
  const calls: string[] = [];
  const call = (name: keyof TransactionControl) => () => {
    calls.push(name);
    return failing[name] ? Promise.reject(new Error(`${name} failed`)) : Promise.resolve();
  };
  const engine: TransactionControl = {
    begin: call("begin"),
    savepoint: call("savepoint"),
    rollbackWork: async () => {
      calls.push("rollbackWork");
      return await Promise.resolve(!failing.rollbackWork);
    },
    commit: call("commit"),
    rollback: call("rollback"),
  };
  return { engine, calls, failing };
}

const reasons = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((it) => it.status === "fulfilled" ? it.value : String(it.reason));

Deno.test("GroupCommit commits what waits together", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  const done = await Promise.all([1, 2, 3].map((it) => commits.run(() => Promise.resolve(it))));
  assert.deepEqual(done, [1, 2, 3]);
  assert.deepEqual(calls, ["begin", "savepoint", "savepoint", "savepoint", "commit"]);
});

Deno.test("GroupCommit keeps nobody waiting for ever more", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: -1 });
  await Promise.all([1, 2, 3].map(() => commits.run(() => Promise.resolve())));
  assert.equal(calls.filter((call) => call === "commit").length, 3);
});

Deno.test("GroupCommit commits work that is alone by itself", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  const order: number[] = [];
  await Promise.all(
    [false, true, false, false].map((alone, index) =>
      commits.run(() => Promise.resolve(order.push(index)), { alone })
    ),
  );
  assert.deepEqual(order, [0, 1, 2, 3]);
  assert.equal(calls.filter((call) => call === "commit").length, 3);
});

Deno.test("GroupCommit undoes a work that throws, and goes on with the others", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  const outcomes = await Promise.allSettled([
    commits.run(() => Promise.resolve("a")),
    commits.run(() => Promise.reject(new Error("refused"))),
    commits.run(() => Promise.resolve("c")),
  ]);
  assert.deepEqual(reasons(outcomes), ["a", "Error: refused", "c"]);
  assert.deepEqual(calls.slice(2), ["savepoint", "rollbackWork", "savepoint", "commit"]);
});

Deno.test("GroupCommit fails the whole group where the transaction is lost", async () => {
  const { engine, calls } = recorder({ rollbackWork: true });
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  const told: string[] = [];
  const outcomes = await Promise.allSettled([
    commits.run(() => Promise.resolve("a"), { onCommit: (it) => told.push(it) }),
    commits.run(() => Promise.reject(new Error("disk full"))),
    commits.run(() => Promise.resolve("c"), { onCommit: (it) => told.push(it) }),
  ]);
  assert.deepEqual(reasons(outcomes), ["Error: disk full", "Error: disk full", "c"]);
  assert.deepEqual(told, ["c"]);
  assert.equal(calls.filter((call) => call === "rollback").length, 1);
});

Deno.test("GroupCommit fails the group where begin, commit or what precedes it fails", async () => {
  for (const step of ["begin", "savepoint", "commit", "rollback"] as const) {
    const { engine, failing } = recorder({
      [step]: true,
      ...(step === "rollback" && { commit: true }),
    });
    const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => commits.run(() => Promise.resolve())),
    );
    assert.ok(outcomes.every(({ status }) => status === "rejected"), step);
    failing.begin =
      failing.savepoint =
      failing.commit =
      failing.rollback =
        false;
    assert.equal(await commits.run(() => Promise.resolve("works again")), "works again");
  }
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  const failed = commits.run((beforeCommit) => {
    beforeCommit(() => Promise.reject(new Error("no sync")));
    return Promise.resolve();
  });
  await assert.rejects(failed, /no sync/);
  assert.deepEqual(calls, ["begin", "savepoint", "rollback"]);
});

Deno.test("GroupCommit does what is to be done before a commit, of work that stays alone", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  await Promise.allSettled([
    commits.run((beforeCommit) => {
      beforeCommit(() => Promise.resolve(void calls.push("sync 1")));
      return Promise.resolve();
    }),
    commits.run((beforeCommit) => {
      beforeCommit(() => Promise.resolve(void calls.push("sync 2")));
      return Promise.reject(new Error("refused"));
    }),
  ]);
  assert.deepEqual(calls.slice(-2), ["sync 1", "commit"]);
  assert.equal(calls.includes("sync 2"), false);
});

Deno.test("GroupCommit settles idle() when all is done", async () => {
  const { engine, calls } = recorder();
  const commits = new GroupCommit(engine, { maxGroupMs: Infinity });
  await commits.idle();
  const done = [1, 2].map(() => commits.run(() => Promise.resolve()));
  await commits.idle();
  assert.equal(calls.at(-1), "commit");
  await Promise.all(done);
});
