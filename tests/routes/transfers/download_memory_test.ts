import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { MIB } from "../../../schemas/units.ts";
import { hasProgram, run } from "../../support/tools.ts";

Deno.test({
  name: "a server frees the chunks of a download before 4 MiB of them add up",
  ignore: !await hasProgram("curl", "--version"),
  async fn() {
    const module = fileURLToPath(new URL("memory_of_downloads.ts", import.meta.url));
    const args = ["run", "-A", "--no-check", module];
    const { code, stdout, stderr } = await run(Deno.execPath(), args);
    assert.equal(code, 0, stderr);
    assert.ok(Number(stdout) < 4 * MIB, `${stdout} bytes`);
  },
});
