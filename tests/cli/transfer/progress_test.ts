import * as assert from "node:assert/strict";
import { MIB } from "../../../schemas/units.ts";
import { ROOT } from "../../support/child_server.ts";
import { CountingProxy } from "../../support/counting_proxy.ts";
import { writeFolder } from "../../support/folders.ts";
import { COMMAND_ENVIRONMENT, RemoteClient } from "../../support/remote_client.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";

const ESCAPE = "\x1b[";
const BAR = /Sending \[[#-]{24}\] \d+\/3 files, .* of 4\.0 MiB, .*\/s/;

Deno.test({
  name: "C 25 a transfer shows its progress on a terminal, and nothing in a pipe",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn(t) {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const client = await RemoteClient.of(server, directory.path);
    const local = `${directory.path}/local`;
    await writeFolder(local, { a: "x".repeat(2 * MIB), b: "y".repeat(2 * MIB), c: "z" });
    const onTerminal = async (name: string, env: Readonly<Record<string, string>>) => {
      const command =
        `stty cols 120; '${Deno.execPath()}' run -A main.ts put --name ${name} ${local} in`;
      const { code, stdout } = await run("script", ["-qec", command, "/dev/null"], {
        cwd: ROOT,
        env: { ...COMMAND_ENVIRONMENT, ...client.env, TERM: "xterm", ...env },
      });
      assert.equal(code, 0, stdout);
      return stdout;
    };
    await t.step("C 25 a bar with files, bytes and rate, which is gone at the end", async () => {
      const shown = await onTerminal("one", {});
      assert.match(shown, BAR);
      assert.ok(shown.endsWith(`\r${ESCAPE}KSent 3 files, 4.0 MiB\r\n`), shown);
    });
    await t.step("C 25 no control sequences with TERM=dumb", async () => {
      assert.equal(await onTerminal("two", { TERM: "dumb" }), "Sent 3 files, 4.0 MiB\r\n");
    });
    await t.step("C 25 no color with NO_COLOR", async () => {
      const shown = await onTerminal("three", { NO_COLOR: "1" });
      assert.ok(shown.replaceAll(`${ESCAPE}K`, "").indexOf(ESCAPE) < 0, shown);
    });
    await t.step("C 25 nothing in a pipe", async () => {
      const { stdout, stderr } = await client.run(["put", "--name", "four", local, "in"]);
      assert.deepEqual([stdout, stderr], ["Sent 3 files, 4.0 MiB\n", ""]);
    });
  },
});

Deno.test({
  name: "C 25 Ctrl-C erases the progress and ends a transfer, which the same command continues",
  ignore: Deno.build.os !== "linux" || !await hasProgram("script", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    await using proxy = new CountingProxy(server.server.address.port);
    const client = await RemoteClient.of(proxy, directory.path);
    const local = `${directory.path}/local`;
    await writeFolder(local, { a: "x".repeat(40 * MIB) });
    const child = new Deno.Command("script", {
      args: [
        "-qec",
        `stty cols 120; '${Deno.execPath()}' run -A main.ts put ${local} in`,
        "/dev/null",
      ],
      cwd: ROOT,
      env: { ...COMMAND_ENVIRONMENT, ...client.env, TERM: "xterm" },
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    proxy.holdAfter("up", 20 * MIB);
    let shown = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const wasShown = shown.includes("Sending [");
      shown += text;
      if (!wasShown && shown.includes("Sending [")) {
        await writer.write(new TextEncoder().encode("\x03"));
      }
    }
    await writer.close().catch(() => {});
    assert.equal((await child.status).code, 130, shown);
    assert.ok(shown.endsWith(`\r${ESCAPE}K`), JSON.stringify(shown.slice(-300)));
    proxy.cut();
    proxy.release();
    const { code, stdout } = await client.run(["put", local, "in"]);
    assert.deepEqual([code, stdout], [0, "Sent 1 file, 40.0 MiB\n"]);
  },
});

Deno.test("C 25, C 6 a file over a limit of the server is refused with the name of the setting", async () => {
  await using directory = await TempDir.make();
  await using server = await TestServer.start({ limits: { maxUploadFileSize: 100_000 } });
  const client = await RemoteClient.of(server, directory.path);
  const local = `${directory.path}/local`;
  await writeFolder(local, {
    small: "s",
    batched: "b".repeat(200_000),
    medium: "m".repeat(1_000_000),
    large: "l".repeat(20 * MIB),
  });
  const { code, stdout, stderr } = await client.run(["put", local, ":"]);
  assert.equal(code, 1);
  assert.match(stdout, /^Sent 1 file, 1 byte; 3 failed\n$/);
  const lines = stderr.trim().split("\n");
  assert.equal(lines.length, 3, stderr);
  for (const line of lines) assert.match(line, /STRONGROOM_MAX_UPLOAD_FILE_SIZE/);
});
