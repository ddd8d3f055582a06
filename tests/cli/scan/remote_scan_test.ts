import * as assert from "node:assert/strict";
import { ROOT } from "../../support/child_server.ts";
import { ENDLESS } from "../../support/endless_scanner.ts";
import { COMMAND_ENVIRONMENT, RemoteClient } from "../../support/remote_client.ts";
import { TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

const MODELS = `${ROOT}tests/fixtures/models/pickle`;
const PRIVILEGES = [...USER_PRIVILEGES, "scans.view", "scans.run"];

async function modelsOn(server: TestServer): Promise<void> {
  const user = await server.as(1, ...PRIVILEGES);
  const bad = await Deno.readFile(`${MODELS}/hostile/eval.pkl`);
  assert.equal((await user.upload("models", { "bad.pkl": bad })).status, 200);
  assert.equal((await user.upload("texts", { "good.json": "{}" })).status, 200);
}

Deno.test("C 25 scan --remote has a server scan, and prints the report", async (t) => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start();
  await modelsOn(server);
  const client = await RemoteClient.of(server, directory.path, { privileges: PRIVILEGES });

  await t.step("C 25 in the formats and with the exit codes of a local scan", async () => {
    const [text, json, clean, critical] = await Promise.all([
      client.run(["scan", "--remote", "--format", "text", "models"]),
      client.run(["scan", "--remote", "models/bad.pkl"]),
      client.run(["scan", "--remote", "/texts"]),
      client.run(["scan", "--remote", "--fail-on", "critical", "--format", "sarif", "models"]),
    ]);
    assert.deepEqual([text.code, text.stderr], [1, ""]);
    assert.match(text.stdout, /^CRITICAL S104 eval, exec\n {2}models\/bad\.pkl/);
    assert.deepEqual([json.code, json.stderr], [1, ""]);
    assert.equal(JSON.parse(json.stdout).assets[0].path, "models/bad.pkl");
    assert.deepEqual([clean.code, clean.stderr], [0, ""]);
    assert.deepEqual([critical.code, JSON.parse(critical.stdout).version], [1, "2.1.0"]);
  });
  await t.step(
    "C 25 with a baseline, a file for the report, and a choice of scanners",
    async () => {
      const home = directory.path;
      const first = await client.run(
        ["scan", "--remote", "-o", `${home}/report.json`, "models"],
      );
      assert.deepEqual([first.code, first.stdout], [1, ""]);
      const again = await client.run(
        ["scan", "--remote", "--baseline", `${home}/report.json`, "models"],
      );
      assert.deepEqual([again.code, again.stderr], [0, ""]);
      const other = await client.run(["scan", "--remote", "--scanners", "text", "models"]);
      assert.equal(
        JSON.parse(other.stdout).issues.filter((it: { rule_code?: string }) =>
          it.rule_code === "S104"
        ).length,
        0,
      );
    },
  );
  await t.step("C 25 what is for local files only is refused, as is a missing path", async () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [["--remote", "--exclude", "*.bin", "models"], /--exclude is for files of this machine/],
      [["--remote", "-"], /stdin cannot be scanned with --remote/],
      [["--tree", "2", "models"], /--tree needs --remote/],
      [["--remote", "missing"], /missing.*\(ErrResourcesNotFound\)/],
    ];
    await Promise.all(cases.map(async ([args, message]) => {
      const { code, stdout, stderr } = await client.run(["scan", ...args]);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
    }));
  });
});

Deno.test({
  name:
    "C 25 a stop signal cancels a scan of a server, and a terminal shows its place in the queue",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    // No scan ends by itself.
    await using server = await TestServer.start({
      contents: ENDLESS,
    });
    await modelsOn(server);
    const user = await server.as(1, ...PRIVILEGES);
    const client = await RemoteClient.of(server, directory.path, { privileges: PRIVILEGES });
    const status = async (id: number) => {
      const { text } = await user.send("GET", `/scans/${id}`);
      return JSON.parse(text).data?.status;
    };

    const child = client.spawn(["scan", "--remote", "models"]);
    await until(async () => await status(1) === "running");
    const terminal = new Deno.Command("script", {
      args: [
        "-qec",
        `'${Deno.execPath()}' run -A '${ROOT}main.ts' scan --remote texts`,
        "/dev/null",
      ],
      env: { ...COMMAND_ENVIRONMENT, ...client.env, TERM: "xterm" },
      stdin: "null",
      stdout: "piped",
    }).spawn();
    child.kill("SIGINT");
    const [output] = await Promise.all([child.output(), child.stdin.close()]);
    assert.equal(output.code, 130);
    assert.equal(await status(1), "cancelled");
    let shown = "";
    const place = /Queued, after \d scan|\[-{24}\] 0\/1 files/;
    for await (const text of terminal.stdout.pipeThrough(new TextDecoderStream())) {
      shown += text;
      if (!place.test(shown)) continue;
      terminal.kill();
      break;
    }
    await terminal.status;
    assert.match(shown, place);
  },
});
