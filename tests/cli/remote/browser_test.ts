import * as assert from "node:assert/strict";
import { TestAuthenticator } from "../../support/authenticator.ts";
import { ROOT, runArguments } from "../../support/program.ts";
import { addPerson, inviteTo, TestConsole } from "../../support/console.ts";
import { COMMAND_ENVIRONMENT } from "../../support/remote_client.ts";
import { freePort } from "../../support/ports.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";

const HAS_TERMINAL = Deno.build.os === "linux" && await hasProgram("script", "--version");

/** Runs `login` at a terminal, where `xdg-open` notes what it is to open. */
async function atTerminal(home: string, url: string, env: Readonly<Record<string, string>>) {
  await Deno.mkdir(`${home}/bin`);
  const note = `#!/bin/sh\nprintf '%s ' "$@" >${home}/opened\n`;
  await Deno.writeTextFile(`${home}/bin/xdg-open`, note, { mode: 0o755 });
  const words = [Deno.execPath(), ...runArguments(["login", url])];
  const line = words.map((it) => `'${it}'`).join(" ");
  return new Deno.Command("script", {
    args: ["--quiet", "--return", "--command", line, "/dev/null"],
    cwd: ROOT,
    env: {
      ...COMMAND_ENVIRONMENT,
      HOME: home,
      PATH: `${home}/bin:${Deno.env.get("PATH")}`,
      DISPLAY: "",
      WAYLAND_DISPLAY: "",
      ...env,
    },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

async function entered(server: TestServer): Promise<TestConsole> {
  const admin = await server.as(1000, "users.admin");
  await addPerson(admin, "ana");
  const ana = new TestConsole(server);
  await ana.accept(await inviteTo(admin, "ana"), new TestAuthenticator());
  return ana;
}

/** Runs `login` at a terminal, and decides about it. Returns what it has shown, what it has opened, and its code. */
async function loggedIn(
  { server, ana, url = server.origin, env = {}, approve }: {
    readonly server: TestServer;
    readonly ana: TestConsole;
    readonly url?: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly approve: boolean;
  },
) {
  await using home = await TempDir.make();
  await using login = await atTerminal(home.path, url, env);
  let shown = "";
  let code: string | undefined;
  const decoder = new TextDecoder();
  for await (const text of login.stdout) {
    shown += decoder.decode(text, { stream: true });
    if (code !== undefined) continue;
    code = /enter the code ([A-Z]{4}-[A-Z]{4}) at/.exec(shown)?.[1];
    if (code !== undefined) await ana.ask("POST", `/logins/${code}`, { approve });
  }
  await login.status;
  const opened = await Deno.readTextFile(`${home.path}/opened`).catch(() => "");
  return { shown, opened: opened.trim(), code: code ?? "" };
}

Deno.test({
  name: "C 27 login opens the page that approves it, where a person at a terminal has a display",
  ignore: !HAS_TERMINAL,
  async fn() {
    await using server = await TestServer.start();
    const ana = await entered(server);
    const env = { DISPLAY: ":0" };
    const { shown, opened, code } = await loggedIn({ server, ana, env, approve: true });
    assert.ok(shown.includes(`Your browser opens ${server.origin}/#/login/${code}`), shown);
    assert.match(shown, /Logged in to /);
    assert.equal(opened, `${server.origin}/#/login/${code}`);
  },
});

Deno.test({
  name: "C 27 login opens nothing without a display, and no page elsewhere",
  ignore: !HAS_TERMINAL,
  async fn(t) {
    const port = freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    await using server = await TestServer.start({ port, settings: { publicUrl } });
    const ana = await entered(server);
    const url = `http://localhost:${port}`;
    const cases = { "without a display": {}, "elsewhere": { url, env: { DISPLAY: ":0" } } };
    for (const [title, given] of Object.entries(cases)) {
      await t.step(title, async () => {
        const { shown, opened } = await loggedIn({ server, ana, ...given, approve: false });
        assert.match(shown, /Open http/);
        assert.match(shown, /The login was refused in the browser/);
        assert.equal(opened, "");
      });
    }
  },
});
