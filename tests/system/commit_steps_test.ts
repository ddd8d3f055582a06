import * as assert from "node:assert/strict";
import { checkStarted, CommitProgram } from "../faults/commit_kills.ts";
import { canInjectFaults, InjectedFault } from "../support/injected_fault.ts";
import { TempDir } from "../support/temp_dir.ts";

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
