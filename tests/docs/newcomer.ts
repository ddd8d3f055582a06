import * as assert from "node:assert/strict";
import { processesWith } from "../support/processes.ts";
import { run } from "../support/tools.ts";
import type { Reader } from "./guide.ts";

/** Asserts that the directory of the README came back byte for byte, and that no process is left. */
export async function assertCameBack({ directory, dataDir }: Reader): Promise<void> {
  const { code, stdout, stderr } = await run("diff", ["-r", "models", "elsewhere/models"], {
    cwd: directory,
  });
  assert.deepEqual([code, stdout, stderr], [0, "", ""]);
  if (Deno.build.os !== "linux") return;
  assert.deepEqual([...await processesWith(`STRONGROOM_DATA_DIR=${dataDir}`)], []);
}
