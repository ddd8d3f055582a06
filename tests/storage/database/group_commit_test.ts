import * as assert from "node:assert/strict";
import { GroupCommit, type TransactionControl } from "../../../storage/database/group_commit.ts";

/** A control that records calls, and fails those listed in `failing`. */
function recorder(failing: Partial<Record<keyof TransactionControl, boolean>> = {}) {
  const calls: string[] = [];
  const call = (name: keyof TransactionControl) => () => {
    calls.push(name);
    return failing[name] ? Promise.reject(new Error(`${name} failed`)) : Promise.resolve();
  };
  const control: TransactionControl = {
    begin: call("begin"),
    savepoint: call("savepoint"),
    rollbackWork: async () => {
      calls.push("rollbackWork");
      return await Promise.resolve(!failing.rollbackWork);
    },
    commit: call("commit"),
    rollback: call("rollback"),
  };
  return { control, calls, failing };
}

const reasons = (outcomes: PromiseSettledResult<unknown>[]) =>
  outcomes.map((it) => it.status === "fulfilled" ? it.value : String(it.reason));

Deno.test("GroupCommit commits queued work together", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const done = await Promise.all([1, 2, 3].map((it) => commits.run(() => Promise.resolve(it))));
  assert.deepEqual(done, [1, 2, 3]);
  assert.deepEqual(calls, ["begin", "savepoint", "savepoint", "savepoint", "commit"]);
});

Deno.test("GroupCommit runs one transaction at a time when work queues other work at once", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  let other: Promise<unknown> | undefined;
  await commits.run(() => {
    other = commits.run(() => Promise.resolve(), { alone: true });
    return Promise.resolve();
  });
  await other;
  assert.deepEqual(calls, ["begin", "savepoint", "commit", "begin", "savepoint", "commit"]);
});

Deno.test("GroupCommit closes a group when its time is over", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: -1 });
  await Promise.all([1, 2, 3].map(() => commits.run(() => Promise.resolve())));
  assert.equal(calls.filter((call) => call === "commit").length, 3);
});

Deno.test("GroupCommit commits work by itself when it asks for that", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const order: number[] = [];
  await Promise.all(
    [false, true, false, false].map((alone, index) =>
      commits.run(() => Promise.resolve(order.push(index)), { alone })
    ),
  );
  assert.deepEqual(order, [0, 1, 2, 3]);
  assert.equal(calls.filter((call) => call === "commit").length, 3);
});

Deno.test("GroupCommit rolls back work that throws, and commits the rest", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const outcomes = await Promise.allSettled([
    commits.run(() => Promise.resolve("a")),
    commits.run(() => Promise.reject(new Error("refused"))),
    commits.run(() => Promise.resolve("c")),
  ]);
  assert.deepEqual(reasons(outcomes), ["a", "Error: refused", "c"]);
  assert.deepEqual(calls.slice(2), ["savepoint", "rollbackWork", "savepoint", "commit"]);
});

Deno.test("GroupCommit fails the whole group when the transaction is lost", async () => {
  const { control, calls } = recorder({ rollbackWork: true });
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const committed: string[] = [];
  const outcomes = await Promise.allSettled([
    commits.run(() => Promise.resolve("a"), { onCommit: (it) => committed.push(it) }),
    commits.run(() => Promise.reject(new Error("disk full"))),
    commits.run(() => Promise.resolve("c"), { onCommit: (it) => committed.push(it) }),
  ]);
  assert.deepEqual(reasons(outcomes), ["Error: disk full", "Error: disk full", "c"]);
  assert.deepEqual(committed, ["c"]);
  assert.equal(calls.filter((call) => call === "rollback").length, 1);
});

Deno.test("GroupCommit fails the group when begin, savepoint, commit or an action before it fails", async () => {
  for (const step of ["begin", "savepoint", "commit", "rollback"] as const) {
    const { control, failing } = recorder({
      [step]: true,
      ...(step === "rollback" && { commit: true }),
    });
    const commits = new GroupCommit(control, { maxGroupMs: Infinity });
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
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const failed = commits.run((beforeCommit) => {
    beforeCommit(() => Promise.reject(new Error("no sync")));
    return Promise.resolve();
  });
  await assert.rejects(failed, /no sync/);
  assert.deepEqual(calls, ["begin", "savepoint", "rollback"]);
});

Deno.test("GroupCommit runs actions before a commit only for work that succeeded", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
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

Deno.test("GroupCommit resolves idle() when all work is done", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  await commits.idle();
  const done = [1, 2].map(() => commits.run(() => Promise.resolve()));
  await commits.idle();
  assert.equal(calls.at(-1), "commit");
  await Promise.all(done);
});
