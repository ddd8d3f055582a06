import * as assert from "node:assert/strict";
import { ROOT } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";
import { reportFaults } from "../../conformance/report_rules.ts";
import { HOSTILE, scan } from "./local_scan.ts";

Deno.test("C 25 - scans stdin under a name", async (t) => {
  await using directory = await TempDir.make();
  const cwd = directory.path;
  const env = { TMPDIR: cwd };
  const hostile = await Deno.readFile(HOSTILE);
  await t.step("C 25 reports it by its name, and keeps no copy", async () => {
    const { code, stdout } = await scan(["-", "--name", "x.pkl"], { cwd, stdin: hostile, env });
    assert.equal(code, 1);
    const made = JSON.parse(stdout);
    assert.deepEqual(reportFaults(made), []);
    const [{ path, is_streamed }] = made.assets;
    assert.deepEqual([made.assets.length, path, is_streamed], [1, "x.pkl", true]);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(cwd)), []);
  });
  await t.step("C 25 the name chooses scanners, and lines are those of the content", async () => {
    const stdin = new TextEncoder().encode('{"a":\n"b",\n"_target_":\n "os.system"}');
    const args = ["-", "--name", "config.json", "--format", "sarif"];
    const { code, stdout } = await scan(args, { cwd, stdin, env });
    assert.equal(code, 1);
    const [{ locations: [{ physicalLocation }] }] = JSON.parse(stdout).runs[0].results;
    assert.equal(physicalLocation.artifactLocation.uri, "config.json");
    assert.equal(physicalLocation.region.startLine, 4);
  });
  await t.step("C 25 content of many MiB, beside a file", async () => {
    const stdin = new Uint8Array(9_000_000);
    stdin.set(hostile);
    const { code, stdout } = await scan(["-", HOSTILE], { cwd, stdin, env });
    assert.equal(code, 1);
    const { files_scanned, bytes_scanned, file_metadata } = JSON.parse(stdout);
    assert.deepEqual([files_scanned, bytes_scanned], [2, 9_000_000 + hostile.length]);
    assert.ok(file_metadata["stdin"]);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(cwd)), []);
  });
  await t.step("C 25 a scan that is stopped while it reads keeps no copy", async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${ROOT}main.ts`, "scan", "-"],
      cwd,
      env,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(async () => (await Array.fromAsync(Deno.readDir(cwd))).length === 1);
    child.kill("SIGTERM");
    assert.equal((await child.status).code, 130);
    await child.stdin.abort();
    assert.deepEqual(await Array.fromAsync(Deno.readDir(cwd)), []);
  });
  await t.step("C 25 a name without stdin, or with a slash, exits with 2", async () => {
    for (const args of [["x", "--name", "a"], ["-", "--name", "a/b"], ["-", "--name", ""]]) {
      assert.equal((await scan(args, { cwd, stdin: hostile, env })).code, 2, args.join(" "));
    }
  });
});
