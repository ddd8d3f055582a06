import * as assert from "node:assert/strict";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import { check } from "../../storage/upkeep/check/check.ts";
import { ROOT } from "../support/child_server.ts";
import { callerWith, commitTo, park, REPOSITORY, sha256Of } from "../support/commits.ts";
import { canInjectFaults, InjectedFault } from "../support/injected_fault.ts";
import { checkDataDirectory, checkInvariants } from "../support/invariants.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";
import { AFTER, BEFORE, OBJECTS, OPERATIONS } from "./commit_steps.ts";

const CALLER = callerWith(1);

/** The program that makes a commit, in a process of its own. */
class CommitProgram implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  readonly #output: ReadableStreamDefaultReader<string>;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  #printed = "";

  /** @param maxDirectRecords A commit that deletes more is carried out in steps. */
  constructor(dataDir: string, maxDirectRecords = 10_000) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-check", `${ROOT}tests/faults/commit_program.ts`],
        ...[dataDir, String(maxDirectRecords)],
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#output = this.#process.stdout.pipeThrough(new TextDecoderStream()).getReader();
    this.#input = this.#process.stdin.getWriter();
  }

  get pid(): number {
    return this.#process.pid;
  }

  has(word: string): boolean {
    return this.#printed.includes(word);
  }

  /** Waits until it prints the word. Returns false if it was killed before. */
  async reaches(word: string): Promise<boolean> {
    while (!this.has(word)) {
      const { done, value } = await this.#output.read();
      if (done) return false;
      this.#printed += value;
    }
    return true;
  }

  /** Lets it go on. */
  async goOn(): Promise<void> {
    await this.#input.write(new Uint8Array([10])).catch(() => {});
  }

  async kill(): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#process.status;
    await this.reaches("the end");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#input.abort().catch(() => {});
  }
}

/** Starts a server after a kill, and checks that the commit was carried out as a whole, or not at all. */
async function checkStarted(dataDir: string, program: CommitProgram): Promise<"before" | "after"> {
  let state: "before" | "after";
  {
    await using server = await TestServer.start({ dataDir });
    state = await checkState(server);
    if (program.has("committed")) assert.equal(state, "after");
    const pointers = OBJECTS.map((it) => ({ sha256: sha256Of(it), size: it.length }));
    if (program.has("parked")) {
      // They wait, or are part of the tree.
      assert.deepEqual(await findObjects(server.hub, CALLER, pointers), [true, true]);
    }
    if (state === "before") {
      for (const [index, isHeld] of (await findObjects(server.hub, CALLER, pointers)).entries()) {
        const object = OBJECTS[index];
        if (!isHeld && object !== undefined) await park(server.hub, CALLER, object);
      }
      await commitTo(server.hub, CALLER, OPERATIONS());
      assert.equal(await checkState(server), "after");
    }
    await until(async () =>
      (await Array.fromAsync(Deno.readDir(`${dataDir}/uploads`))).length === 0
    );
    await checkInvariants(server);
  }
  await checkDataDirectory(dataDir);
  const { findings } = await check(dataDir, { readData: true, repair: false, onProgress() {} });
  assert.deepEqual(findings.listed, []);
  return state;
}

async function checkState(server: TestServer): Promise<"before" | "after"> {
  const client = await server.as(1);
  const paths = await client.paths({ path: REPOSITORY, recursive: "true" });
  const found: Record<string, string> = {};
  let objects = 0;
  for (const path of paths) {
    const name = path.slice(REPOSITORY.length + 1);
    const response = await client.file("GET", path);
    if (response.status !== 200) continue;
    if (name.startsWith("objects/")) objects++;
    else found[name] = response.text;
  }
  if (objects === 0) {
    assert.deepEqual(found, BEFORE);
    return "before";
  }
  assert.deepEqual(found, AFTER);
  assert.equal(objects, 3);
  for (const [index, object] of OBJECTS.entries()) {
    assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/objects/${index}` }), object);
  }
  return "after";
}

Deno.test("C 20 a commit survives kill -9 at any moment as a whole, or not at all", async (t) => {
  for (const maxDirectRecords of [10_000, 1]) {
    for (const delayMs of [0, 5, 10, 20, 40]) {
      const how = maxDirectRecords === 1 ? "in steps" : "in one transaction";
      await t.step(`${how}, killed after ${delayMs} ms`, async () => {
        await using directory = await TempDir.make();
        await using program = new CommitProgram(directory.path, maxDirectRecords);
        assert.ok(await program.reaches("ready"));
        await program.goOn();
        assert.ok(await program.reaches("parked"));
        await program.goOn();
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await program.kill();
        await checkStarted(directory.path, program);
      });
    }
  }
});

/** The calls that change what is on the disk, and how many of each are tried. */
const CALLS: Readonly<Record<"parked" | "committed", Readonly<Record<string, number>>>> = {
  parked: { rename: 1, fsync: 2, fdatasync: 3 },
  committed: { linkat: 1, rename: 1, fsync: 3, fdatasync: 3, unlink: 2 },
};

/** Kills the program at a system call on its way to a phase, and checks what a start finds. */
async function killAt(phase: "parked" | "committed", fault: string): Promise<string> {
  await using directory = await TempDir.make();
  await using program = new CommitProgram(directory.path);
  assert.ok(await program.reaches("ready"));
  if (phase === "committed") {
    await program.goOn();
    assert.ok(await program.reaches("parked"));
  }
  await using _fault = await InjectedFault.start(program.pid, undefined, fault);
  await program.goOn();
  const isDone = await program.reaches(phase);
  await program.kill();
  return `${isDone ? "not killed" : "killed"}, ${await checkStarted(directory.path, program)}`;
}

Deno.test({
  name: "C 20 a commit killed at each of its steps leaves the former state or its own",
  ignore: !canInjectFaults,
  async fn(t) {
    const outcomes: string[] = [];
    for (const phase of ["parked", "committed"] as const) {
      for (const [call, count] of Object.entries(CALLS[phase])) {
        for (let nth = 1; nth <= count; nth++) {
          await t.step(`${call} ${nth} before it has ${phase}`, async () => {
            outcomes.push(await killAt(phase, `${call}:signal=SIGKILL:when=${nth}`));
          });
        }
      }
    }
    const killed = outcomes.filter((it) => it.startsWith("killed"));
    assert.ok(killed.length > outcomes.length / 2, outcomes.join("; "));
    assert.ok(outcomes.includes("killed, before"));
  },
});
