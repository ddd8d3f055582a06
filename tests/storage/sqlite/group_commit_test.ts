import * as assert from "node:assert/strict";
import { GroupCommit, type TransactionControl } from "../../../storage/sqlite/group_commit.ts";

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

Deno.test("C 22 GroupCommit lets users take turns, whose work runs in the order of the calls", async () => {
  const { control } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const order: string[] = [];
  const run = (what: string, userId?: number) =>
    commits.run(() => Promise.resolve(order.push(what)), { userId, alone: true });
  await Promise.all([
    ...["a1", "a2", "a3"].map((what) => run(what, 1)),
    ...["b1", "b2"].map((what) => run(what, 2)),
    run("nobody's"),
  ]);
  assert.deepEqual(order, ["a1", "b1", "nobody's", "a2", "b2", "a3"]);
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

Deno.test("GroupCommit waits for no call that needs nothing in between, and none for the next one", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const replies = [1, 2, 3].map(() => Promise.withResolvers<number>());
  const committed: number[] = [];
  const done = Promise.all(
    replies.map(({ promise }, index) =>
      commits.run(() => {
        calls.push(`call ${index}`);
        return promise;
      }, { isOneCall: true, onCommit: (it) => committed.push(it) })
    ),
  );
  // Calls that are made before the running task and its microtasks end travel in one message.
  await Promise.resolve();
  await Promise.resolve();
  assert.deepEqual(calls, ["begin", "call 0", "call 1", "call 2", "commit"]);
  for (const [index, { resolve }] of [...replies.entries()].reverse()) resolve(index);
  assert.deepEqual(await done, [0, 1, 2]);
  assert.deepEqual(committed, [0, 1, 2]);
});

Deno.test("GroupCommit runs calls and other work of a group in order", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const order: number[] = [];
  const outcomes = await Promise.allSettled(
    [true, false, true, true, false].map((isOneCall, index) =>
      commits.run(() => {
        calls.push(`work ${index}`);
        if (index === 2) return Promise.reject(new Error("refused"));
        return Promise.resolve(index);
      }, { isOneCall, onCommit: (it) => order.push(it) })
    ),
  );
  assert.deepEqual(reasons(outcomes), [0, 1, "Error: refused", 3, 4]);
  assert.deepEqual(order, [0, 1, 3, 4]);
  assert.deepEqual(calls, [
    "begin",
    ...["work 0", "savepoint", "work 1", "work 2", "work 3", "savepoint", "work 4"],
    "commit",
  ]);
});

Deno.test("GroupCommit fails calls when begin or commit fails, and works again", async () => {
  for (const step of ["begin", "commit"] as const) {
    const { control, failing } = recorder({ [step]: true });
    const commits = new GroupCommit(control, { maxGroupMs: Infinity });
    const committed: unknown[] = [];
    const options = { isOneCall: true, onCommit: (it: unknown) => committed.push(it) };
    const outcomes = await Promise.allSettled(
      [1, 2].map((it) => commits.run(() => Promise.resolve(it), options)),
    );
    const reason = `Error: ${step} failed`;
    assert.deepEqual(reasons(outcomes), [reason, reason]);
    assert.deepEqual(committed, []);
    failing[step] = false;
    assert.equal(await commits.run(() => Promise.resolve(3), options), 3);
  }
});

Deno.test("GroupCommit ends all work before it is closed, and refuses what comes later", async () => {
  const { control, calls } = recorder();
  const commits = new GroupCommit(control, { maxGroupMs: Infinity });
  const done = [1, 2].map(() => commits.run(() => Promise.resolve()));
  const closed = commits.close();
  await assert.rejects(commits.run(() => Promise.resolve()), /closing/);
  await closed;
  assert.equal(calls.at(-1), "commit");
  await Promise.all(done);
});
