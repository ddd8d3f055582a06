/** Kills the program that makes a commit, and checks what a server finds afterwards. */

import * as assert from "node:assert/strict";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import { check } from "../../storage/upkeep/check/check.ts";
import { ROOT } from "../support/child_server.ts";
import { callerWith, commitTo, park, REPOSITORY, sha256Of } from "../support/commits.ts";
import { checkDataDirectory, checkInvariants } from "../support/invariants.ts";
import { TestServer } from "../support/server.ts";
import { until } from "../support/until.ts";
import { AFTER, BEFORE, OBJECTS, OPERATIONS } from "./commit_steps.ts";

const CALLER = callerWith(1);

/** The program that makes a commit, in a process of its own. */
export class CommitProgram implements AsyncDisposable {
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
export async function checkStarted(
  dataDir: string,
  program: CommitProgram,
): Promise<"before" | "after"> {
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
