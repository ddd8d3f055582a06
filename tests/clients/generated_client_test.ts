import * as assert from "node:assert/strict";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

/** Packages of npm that only these tests need, apart from those of the program. */
const NPM = ["run", "-A", "--no-config", "--no-lock"];
const GENERATOR = "npm:openapi-typescript@7.13.0";
const LINTER = "npm:@redocly/cli@2.77.0";

async function succeed(...args: string[]): Promise<void> {
  const { code, stdout, stderr } = await run(Deno.execPath(), args, {
    env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  assert.equal(code, 0, `${stdout}${stderr}`);
}

Deno.test({
  name: "C 1 a client that is generated from the description works",
  ignore: !await hasProgram(Deno.execPath(), ...NPM, GENERATOR, "--version"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const { token } = await server.as(1, ...USER_PRIVILEGES, "scans.view", "scans.run");
    const session = `${directory.path}/session.ts`;
    await Deno.copyFile(new URL("generated/session.ts", import.meta.url), session);
    const types = `${directory.path}/api.ts`;
    await succeed(...NPM, GENERATOR, `${server.origin}/openapi.json`, "--output", types);
    await succeed("check", "--no-config", "--no-lock", session);
    await succeed(...NPM, session, server.origin, token);
  },
});

Deno.test({
  name: "C 1 Redocly's recommended rules find no fault in the description",
  ignore: !await hasProgram(Deno.execPath(), ...NPM, LINTER, "--version"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const path = `${directory.path}/openapi.json`;
    const reply = await fetch(`${server.origin}/openapi.json`);
    await Deno.writeTextFile(path, await reply.text());
    const { stdout, stderr } = await run(
      Deno.execPath(),
      [...NPM, LINTER, "lint", "--extends=recommended", "--format=json", path],
      { env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
    );
    assert.match(stdout, /^\{/, stderr);
    const { totals, problems } = JSON.parse(stdout);
    assert.deepEqual(problems, []);
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 });
  },
});
