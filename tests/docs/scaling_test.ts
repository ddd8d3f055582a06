import * as assert from "node:assert/strict";
import { hasProgram, run } from "../support/tools.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/guides/scaling.md", {
  serves: false,
  async verify({ directory: cwd }) {
    if (!await hasProgram("openssl", "version")) return;
    const args = ["verify", "-CAfile", "ca.pem", "-verify_hostname", "db.example", "server.crt"];
    const { stdout, stderr } = await run("openssl", args, { cwd });
    assert.equal(stdout, "server.crt: OK\n", stderr);
  },
});
