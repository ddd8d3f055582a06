import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { SERVER_MALLOC, SERVER_V8_FLAGS } from "../../../cli/supervisor/program.ts";

Deno.test({
  name: "threads of the server that have ended leave less than a third of their memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const program = fileURLToPath(new URL("ended_threads.ts", import.meta.url));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--allow-all", SERVER_V8_FLAGS, program],
      env: { ...SERVER_MALLOC },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const { taken, left } = JSON.parse(new TextDecoder().decode(stdout));
    assert.ok(left < taken / 3, `${left} of ${taken} KiB`);
  },
});
