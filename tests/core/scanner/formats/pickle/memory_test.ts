import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { MIB } from "../../../../../schemas/units.ts";

/** What the heap needs besides the values of a pickle: modules, and garbage. */
const BESIDES_MB = 80;

Deno.test("C 15 the values of a hostile pickle take no more memory than the limit says", async () => {
  const heapMB = SCAN_LIMITS.maxValueBytes / MIB + BESIDES_MB;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--cached-only",
      `--v8-flags=--max-old-space-size=${heapMB},--max-semi-space-size=1`,
      fileURLToPath(new URL("hostile_values.ts", import.meta.url)),
    ],
  }).output();
  const output = new TextDecoder().decode(stdout);
  assert.equal(code, 0, `${output}${new TextDecoder().decode(stderr).slice(-1000)}`);
  assert.equal(output.match(/object_limit$/gm)?.length, 13, output);
});
