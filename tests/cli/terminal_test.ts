import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { hasProgram, run } from "../support/tools.ts";

const HOSTILE = "tests/fixtures/models/pickle/hostile/eval.pkl";
const ESCAPE = "\x1b[";

/** What a scan prints on a terminal. */
async function onTerminal(env: Readonly<Record<string, string>>): Promise<string> {
  const command = `'${Deno.execPath()}' run -A main.ts scan ${HOSTILE}`;
  const { stdout } = await run("script", ["-qec", command, "/dev/null"], {
    cwd: ROOT,
    env: { TERM: "xterm", NO_COLOR: "", ...env },
  });
  return stdout;
}

Deno.test({
  name: "C 25 scan prints text on a terminal, and JSON elsewhere",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn(t) {
    await t.step("C 25 in color", async () => {
      const text = await onTerminal({});
      assert.ok(text.includes("CRITICAL") && text.includes(ESCAPE), text);
    });
    await t.step("C 25 without color with NO_COLOR", async () => {
      const text = await onTerminal({ NO_COLOR: "1" });
      assert.match(text, /CRITICAL S104/);
      assert.ok(!text.includes(`${ESCAPE}1;`), text);
    });
    await t.step("C 25 without any control sequence with TERM=dumb", async () => {
      const text = await onTerminal({ TERM: "dumb" });
      assert.match(text, /^CRITICAL S104/);
      assert.ok(!text.includes(ESCAPE), text);
    });
  },
});
