import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runWithin } from "../../../support/tools.ts";

/** The heap of the process that reads. A text alone takes 8 MB. */
const HEAP_MB = 64;

const PROGRAM = fileURLToPath(new URL("hostile_texts.ts", import.meta.url));

Deno.test("the YAML and TOML readers read 8 MiB of any kind in little memory and linear time", async () => {
  const { code, stdout, stderr } = await runWithin(
    120,
    Deno.execPath(),
    ["run", "--no-check", `--v8-flags=--max-old-space-size=${HEAP_MB}`, PROGRAM],
  );
  assert.equal(code, 0, stderr);
  assert.equal(stdout.trim().split("\n").length, 14, stdout);
});
