import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { noise } from "../support/random.ts";
import { filesBelow, runBackup, stateOf } from "../support/backups.ts";
import { ChildServer } from "../support/child_server.ts";
import { type Client, items } from "../support/client.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const USERS = [1, 2, 3, 4];
const BACKUPS = 2;
const MAX_FILES = 30;

/** The hash of each file by its name. All files are at the root. */
type State = ReadonlyMap<string, string>;

/** A request that was sent, and the state of its user's tree after it. */
interface Change {
  readonly sentAt: number;
  repliedAt: number;
  readonly after: State;
}

const md5 = (content: string | Uint8Array) => createHash("md5").update(content).digest("hex");

/** Small contents that the users share, and large ones of their own. */
function contentFor(user: number, step: number): string | Uint8Array<ArrayBuffer> {
  return step % 4 === 0
    ? noise(200_000, user * 10_000 + step)
    : `shared content ${step % 9}`.padEnd(70_000);
}

/** Changes the tree of a user at random, one request at a time, and records the states. */
class Worker {
  readonly changes: Change[] = [{ sentAt: 0, repliedAt: 0, after: new Map() }];
  #isStopped = false;
  #steps = 0;

  constructor(readonly user: number, readonly client: Client) {}

  stop(): void {
    this.#isStopped = true;
  }

  /** Goes on until {@link stop}. */
  async work(): Promise<void> {
    this.#isStopped = false;
    while (!this.#isStopped) await this.#step(this.#steps++);
  }

  async #step(step: number): Promise<void> {
    const state = new Map(this.changes.at(-1)?.after);
    const names = [...state.keys()];
    const [one = "", other = ""] = names.sort(() => Math.random() - 0.5);
    const kind = names.length < 5 ? 0 : names.length > MAX_FILES ? 1 : step % 4;
    if (kind === 0) {
      const content = contentFor(this.user, step);
      state.set(`f${step}`, md5(content));
      await this.#send(state, () => this.client.upload("", { [`f${step}`]: content }));
    } else if (kind === 1) {
      state.delete(one);
      await this.#send(state, () => this.client.remove({ path: one }));
    } else {
      // Overwrites the other file.
      state.set(other, state.get(one) ?? "");
      if (kind === 2) state.delete(one);
      const request = { source: one, destination: other, force: true };
      await this.#send(
        state,
        () => kind === 2 ? this.client.move(request) : this.client.copy(request),
      );
    }
  }

  async #send(after: State, request: () => Promise<{ status: number; text: string }>) {
    const change = { sentAt: performance.now(), repliedAt: Infinity, after };
    this.changes.push(change);
    const reply = await request();
    assert.equal(reply.status, 200, reply.text);
    change.repliedAt = performance.now();
  }
}

/** The tree of a user in the state of a data directory. */
function treeOf(state: ReadonlyMap<string, string>, user: number): State {
  const own = [...state].filter(([key]) => key.startsWith(`${user}:`));
  return new Map(own.map(([key, hash]) => [key.slice(`${user}:`.length), hash]));
}

function sameState(a: State, b: State): boolean {
  return a.size === b.size && [...a].every(([name, hash]) => b.get(name) === hash);
}

/** When a tree had a state: after a request was sent, and before the next one had its reply. */
interface Period {
  readonly start: number;
  readonly end: number;
}

function periodsOf({ user, changes }: Worker, tree: State): Period[] {
  const periods = changes.flatMap(({ after, sentAt }, index) =>
    sameState(after, tree)
      ? [{ start: sentAt, end: changes[index + 1]?.repliedAt ?? Infinity }]
      : []
  );
  assert.ok(periods.length > 0, `user ${user} never had ${JSON.stringify([...tree])}`);
  return periods;
}

/** Checks that there was a moment at which each user had the tree of this state. */
function checkOneMoment(workers: readonly Worker[], state: ReadonlyMap<string, string>): void {
  const periods = workers.map((worker) => periodsOf(worker, treeOf(state, worker.user)));
  // If there is such a moment, one is at the start of a period.
  const moments = periods.flat().map(({ start }) => start);
  assert.ok(
    moments.some((it) =>
      periods.every((own) => own.some(({ start, end }) => start <= it && it <= end))
    ),
    "the trees are of different moments",
  );
}

Deno.test("C 22 a backup under load is the state of one moment, with every byte", async (t) => {
  await using directory = await TempDir.make();
  const dataDir = `${directory.path}/data`;
  const backup = `${directory.path}/backup`;
  await using server = await ChildServer.start({ dataDir, env: { STRONGROOM_HISTORY: "off" } });
  const workers = await Promise.all(
    USERS.map(async (user) => new Worker(user, await server.as(user))),
  );
  const ninth = await server.as(9);
  const names = Array.from({ length: 300 }, (_, it) => [`${it}`, noise(70_000, it)]);
  items(await ninth.upload("", Object.fromEntries(names)));
  const enough = (count: number) => workers.every(({ changes }) => changes.length > count);

  for (let round = 1; round <= BACKUPS; round++) {
    await t.step(`backup ${round}`, async () => {
      const working = Promise.all(workers.map((worker) => worker.work()));
      await until(() => enough(5 + round * 15));
      const started = performance.now();
      const { code, stdout, stderr } = await runBackup({
        command: "backup",
        dataDir,
        backup,
        args: ["--json"],
      });
      const ended = performance.now();
      for (const worker of workers) worker.stop();
      await working;
      assert.deepEqual([code, stderr], [0, ""]);
      const during = workers.flatMap(({ changes }) =>
        changes.filter(({ sentAt, repliedAt }) => sentAt > started && repliedAt < ended)
      );
      assert.ok(during.length > 5, `${during.length} changes during the backup`);
      const { copied, snapshot } = JSON.parse(stdout);
      assert.equal(copied.files < snapshot.files, round > 1);
      const target = `${directory.path}/restored${round}`;
      const restored = await runBackup({ command: "restore", dataDir: target, backup });
      assert.deepEqual([restored.code, restored.stderr], [0, ""]);
      const state = await stateOf(target);
      assert.equal(treeOf(state, 9).size, 300);
      checkOneMoment(workers, state);
    });
  }
  await t.step("a server serves what was restored", async () => {
    await using other = await ChildServer.start({ dataDir: `${directory.path}/restored1` });
    const again = await other.as(9);
    assert.deepEqual(await again.bytes({ path: "7" }), noise(70_000, 7));
    // The credentials of the first server are valid, as the secret is part of the backup.
    const old = { headers: { Authorization: `Bearer ${ninth.token}` } };
    assert.equal((await again.fetch("/resources/", old)).status, 200);
  });
  await until(async () => (await filesBelow(`${dataDir}/held`)).length === 0);
});
