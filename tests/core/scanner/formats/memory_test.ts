import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runWithin } from "../../../support/tools.ts";

/** The heap of the process that scans. Without limits of the readers, these models take gigabytes. */
const HEAP_MB = 64;

const PROGRAM = fileURLToPath(new URL("hostile_models.ts", import.meta.url));

Deno.test("C 15 models of frameworks are scanned in little memory, however hostile", async () => {
  const { code, stdout, stderr } = await runWithin(
    120,
    Deno.execPath(),
    ["run", "--no-check", `--v8-flags=--max-old-space-size=${HEAP_MB}`, PROGRAM],
  );
  assert.equal(code, 0, stderr);
  const lines = stdout.trim().split("\n");
  assert.equal(lines.length, 12, stdout);
  // Each was read by its own scanner, and by that of manifests if it is JSON.
  for (const line of lines) assert.doesNotMatch(line, /unknown|pickle|text/, line);
});
