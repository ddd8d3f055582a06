import * as assert from "node:assert/strict";
import * as v from "valibot";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { Report } from "../../schemas/report/report.ts";
import { ScanEntry } from "../../schemas/scans.ts";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { Client } from "../support/client.ts";
import { Connection } from "../../storage/sqlite/connection.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const PRIVILEGES = ["scans.view", "scans.run", "resources.upload", "resources.download"];

async function scanOf(client: Client, id: number): Promise<ScanEntry> {
  const { text } = await client.send("GET", `/scans/${id}`);
  return v.parse(v.object({ data: ScanEntry }), JSON.parse(text)).data;
}

Deno.test("C 15 scans continue after the server crashed or stopped", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const files = {
    ...Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`f${index}.txt`, `content ${index}`]),
    ),
    // Its scan takes a second, so that there is time to stop the scanner.
    "slow.pkl": `(${"I1\n".repeat(1_000_000)}t.`,
  };
  let token = "";
  const ids: number[] = [];
  {
    await using child = await ChildServer.start({ dataDir });
    const one = await child.as(1, PRIVILEGES);
    token = one.token;
    await one.upload("many", files);
    for (let scan = 0; scan < 2; scan++) {
      const { status, text } = await one.json("POST", "/scans/", { path: "many" });
      assert.equal(status, 202, text);
      ids.push(JSON.parse(text).data.id);
    }
    await until(async () => (await scanOf(one, ids[0] ?? 0)).files_scanned > 2);
    for (const pid of await child.scanners()) Deno.kill(pid, "SIGSTOP");
    assert.equal((await scanOf(one, ids[0] ?? 0)).status, "running");
    await child.end("SIGKILL");
  }
  {
    await using child = await ChildServer.start({ dataDir });
    const one = new Client(child.origin + BASE_PATH, token);
    await until(async () => (await scanOf(one, ids[0] ?? 0)).status !== "queued");
    const { code } = await child.end("SIGTERM");
    assert.equal(code, 0);
  }
  await using child = await ChildServer.start({ dataDir });
  const one = new Client(child.origin + BASE_PATH, token);
  for (const id of ids) {
    await until(async () => (await scanOf(one, id)).status === "completed");
    const { files_scanned, files_total } = await scanOf(one, id);
    assert.deepEqual([files_scanned, files_total], [81, 81]);
    const { text } = await one.send("GET", `/scans/${id}/report`);
    const report = v.parse(Report, JSON.parse(text));
    assert.deepEqual(
      Object.keys(report.file_metadata).sort(),
      Object.keys(files).map((name) => `many/${name}`).sort(),
    );
    assert.equal(report.has_errors, false);
  }
  await child.end("SIGTERM");
});

Deno.test("C 15 a server finds malware in a data directory that goes through a link", async () => {
  await using directory = await TempDir.make();
  await Deno.mkdir(`${directory.path}/real`);
  await Deno.symlink(`${directory.path}/real`, `${directory.path}/link`);
  await using child = await ChildServer.start({ dataDir: `${directory.path}/link/data` });
  const one = await child.as(1, PRIVILEGES);
  const malware = await Deno.readFile(`${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`);
  await one.upload("", { "eval.pkl": malware });
  const { text } = await one.json("POST", "/scans/?wait=60", { path: "eval.pkl" });
  const { status, files_scanned, issues, error } = JSON.parse(text).data;
  assert.deepEqual([status, files_scanned, error], ["completed", 1, null], text);
  assert.ok(issues.critical > 0, text);
  await child.end("SIGTERM");
});

Deno.test("C 15 a file whose scan two deaths of the server interrupted has failed", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  /** The attempts that have begun and not ended. */
  const attempts = () => {
    using connection = new Connection(`${dataDir}/strongroom.db`, { readOnly: true });
    const rows = connection.all("SELECT name, attempts FROM scan_attempts");
    return rows.map(({ name, attempts }) => `${name} ${attempts}`).join();
  };
  let token = "";
  let id = 0;
  for (const death of [1, 2]) {
    await using child = await ChildServer.start({ dataDir });
    if (death === 1) {
      const one = await child.as(1, PRIVILEGES);
      token = one.token;
      // A list of so many numbers takes seconds, so that the attempt is seen before its end.
      await one.upload("d", { "a.txt": "quick", "slow.bin": `(${"I1\n".repeat(1_000_000)}t.` });
      const { text } = await one.json("POST", "/scans/", { path: "d" });
      id = JSON.parse(text).data.id;
    }
    await until(() => attempts() === `slow.bin ${death}`);
    await child.end("SIGKILL");
    assert.equal(attempts(), `slow.bin ${death}`, "The scan ended before the server did");
  }
  await using child = await ChildServer.start({ dataDir });
  const one = new Client(child.origin + BASE_PATH, token);
  await until(async () => !["queued", "running"].includes((await scanOf(one, id)).status));
  const { status, files_scanned, error } = await scanOf(one, id);
  assert.deepEqual([status, files_scanned], ["completed", 1]);
  assert.equal(
    error,
    "1 of 2 files could not be scanned: " +
      "The server stopped unexpectedly twice while scanning this file",
  );
  const { text } = await one.send("GET", `/scans/${id}/report`);
  const report = v.parse(Report, JSON.parse(text));
  assert.equal(report.has_errors, true);
  assert.equal(report.file_metadata["d/slow.bin"]?.["scan_outcome"], "inconclusive");
  // A new request tries again.
  assert.equal(attempts(), "");
  const again = await one.json("POST", "/scans/?wait=60", { path: "d" });
  const { files_scanned: scanned, error: problem } = JSON.parse(again.text).data;
  assert.deepEqual([scanned, problem], [2, null], again.text);
  await child.end("SIGTERM");
});
