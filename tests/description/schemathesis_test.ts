import * as assert from "node:assert/strict";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasSchemathesis, runSchemathesis } from "./schemathesis.ts";

Deno.test({
  name: "C 1 and C 2 replies to generated requests are those described",
  ignore: !await hasSchemathesis(),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const { code, stdout, stderr } = await runSchemathesis(await server.admin(1), {
      args: ["--phases=coverage", "--no-shrink"],
      cwd: directory.path,
    });
    assert.equal(code, 0, stdout + stderr);
  },
});
