import * as assert from "node:assert/strict";
import { ChildServer, ROOT, strongroom } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

const HOSTILE = "tests/fixtures/models/pickle/hostile/eval.pkl";
const ESCAPE = "\x1b[";

/** What a command prints on a terminal. */
async function onTerminal(
  env: Readonly<Record<string, string>>,
  args = `scan ${HOSTILE}`,
): Promise<string> {
  const command = `'${Deno.execPath()}' run -A main.ts ${args}`;
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

Deno.test({
  name: "C 25 a terminal shows what a command does, and nothing else does",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    const { path } = directory;
    const env = { STRONGROOM_DATA_DIR: `${path}/data` };
    await (await ChildServer.start({ dataDir: env.STRONGROOM_DATA_DIR })).end("SIGTERM");
    const restored = { STRONGROOM_DATA_DIR: `${path}/restored` };
    const cases: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
      ["check", env, "Checking the database"],
      [`backup ${path}/backup`, env, "Copying the database"],
      [`restore ${path}/backup`, restored, "Checking the database of the backup"],
      [`scan --format json ${HOSTILE}`, {}, "Looking for files"],
    ];
    const erased = (text: string) => text.lastIndexOf(`\r${ESCAPE}K`);
    for (const [args, variables, status] of cases) {
      const text = await onTerminal(variables, args);
      assert.ok(text.includes(`\r${ESCAPE}K${status}`), `${args}: ${text}`);
      assert.ok(erased(text) > text.lastIndexOf(status), `${args}: ${text}`);
    }
    const { stderr } = await strongroom(["check"], env);
    assert.equal(stderr, "");
    const dumb = await onTerminal({ ...env, TERM: "dumb" }, "check");
    assert.match(dumb, /^Checked 0 records/);
  },
});

Deno.test({
  name:
    "C 25 token says on a terminal until when the credential is valid, and prints it alone elsewhere",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    const env = {
      STRONGROOM_DATA_DIR: directory.path,
      STRONGROOM_JWT_SECRET: "a secret of this test, longer than 32 bytes",
    };
    const shown = await onTerminal(env, "token --user 1 --admin --ttl 30d");
    const [, end = ""] = /valid until (\S+Z); --ttl sets how long\r\n$/.exec(shown) ?? [];
    assert.ok(Date.parse(end) > Date.now() + 29 * 86_400_000, shown);
    const { stdout, stderr } = await strongroom(["token", "--user", "1", "--admin"], env);
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.ok(!stderr.includes("until"), stderr);
  },
});
