import * as assert from "node:assert/strict";
import { type CalledThread, patientCalls } from "../../../storage/sqlite/patient_calls.ts";

interface Lookups {
  find(name: string): Promise<string>;
}

/** A thread that has been called, and answers as `find` does. */
class Thread implements CalledThread<Lookups> {
  readonly called: string[] = [];
  readonly calls: CalledThread<Lookups>["calls"];
  readonly started: () => Promise<void>;

  constructor(find: (name: string) => Promise<string>, started = () => Promise.resolve()) {
    this.calls = {
      find: (name) => {
        this.called.push(name);
        return find(name);
      },
    };
    this.started = started;
  }
}

const answering = (answer: string) => new Thread((name) => Promise.resolve(`${name} ${answer}`));
const silent = () => new Thread(() => new Promise(() => {}));

Deno.test("C 22 the second thread that reads has no call that the first one answers in time", async () => {
  const [first, second] = [answering("of the first"), answering("of the second")];
  const { find } = patientCalls(first, second);
  assert.equal(await find("a"), "a of the first");
  assert.equal(await find("b"), "b of the first");
  assert.deepEqual(second.called, []);
});

Deno.test("C 22 the second thread that reads answers what the first one does not, and then all", async () => {
  const [first, second] = [silent(), answering("of the second")];
  const { find } = patientCalls(first, second, { patienceMs: 1 });
  assert.equal(await find("a"), "a of the second");
  assert.equal(await find("b"), "b of the second");
  assert.deepEqual(first.called, ["a"]);
  assert.deepEqual(second.called, ["a", "b"]);
});

Deno.test("C 22 a call waits for the start of the first thread that reads, however long that takes", async () => {
  const start = Promise.withResolvers<void>();
  const first = new Thread((name) => start.promise.then(() => name), () => start.promise);
  const second = answering("of the second");
  const found = patientCalls(first, second, { patienceMs: 1 }).find("a");
  setTimeout(start.resolve, 20);
  assert.equal(await found, "a");
  assert.deepEqual(second.called, []);
});

Deno.test("C 22 a failure of the first thread that reads counts only in time", async () => {
  const failure = new Error("cannot be read");
  const failing = new Thread(() => Promise.reject(failure));
  await assert.rejects(patientCalls(failing, answering("")).find("a"), failure);
  const late = Promise.withResolvers<string>();
  const second = answering("of the second");
  const { find } = patientCalls(new Thread(() => late.promise), second, { patienceMs: 1 });
  assert.equal(await find("a"), "a of the second");
  late.reject(failure);
  assert.equal(await find("b"), "b of the second");
});
