import * as assert from "node:assert/strict";
import { processesWith } from "../support/processes.ts";
import { run } from "../support/tools.ts";
import type { GuideOptions, Reader } from "./guide.ts";

/** How the README runs: from a clone, but with one file of tests instead of all. */
export const NEWCOMER = {
  serves: false,
  clones: true,
  edit: (text: string) => text.replace(/ task test$/m, "$& tests/core/paths_test.ts"),
  verify: assertCameBack,
} satisfies GuideOptions;

/** Asserts that the directory of the README came back byte for byte, and that no process is left. */
async function assertCameBack({ directory, dataDir }: Reader): Promise<void> {
  const { code, stdout, stderr } = await run("diff", [
    "-r",
    "strongroom/models",
    "elsewhere/models",
  ], {
    cwd: directory,
  });
  assert.deepEqual([code, stdout, stderr], [0, "", ""]);
  if (Deno.build.os !== "linux") return;
  assert.deepEqual([...await processesWith(`STRONGROOM_DATA_DIR=${dataDir}`)], []);
}
