import * as assert from "node:assert/strict";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { openScanReader } from "../../../storage/sqlite/scan_reader.ts";
import { type ReportChunk, ReportMaker } from "../../../storage/tables/scan_reports.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 15 ReportMaker refuses results that are too large for one report", async () => {
  await using directory = await TempDir.make();
  const database = `${directory.path}/test.db`;
  using connection = new Connection(database, { readOnly: false });
  migrate(connection);
  const hash = "0".repeat(32);
  const result = JSON.stringify(plainScan(1));
  connection.run(`INSERT INTO scans
    (id, user_id, status, paths, skip, created_at, files_total, bytes_total)
    VALUES (1, 1, 'running', '[]', '[]', 0, 3, 3)`);
  for (const path of ["1/a", "2/a", "3/a"]) {
    connection.run(
      "INSERT INTO scan_files (scan_id, user_id, path, name, hash, size) VALUES (1, 1, :path, 'a', :hash, 1)",
      { path, hash },
    );
  }
  const order = { database, id: 1, skip: [], version: "1", startedAt: 0, finishedAt: 1 };
  const keep = (padding: number) =>
    connection.run(
      `INSERT OR REPLACE INTO scan_results (hash, user_id, name, skip, version, verdict, findings, scanned_at, result)
       VALUES (:hash, 1, 'a', '[]', '1', 'clean', '[]', 0, :result || printf('%*c', :padding, ' '))`,
      { hash, result, padding },
    );
  const maker = new ReportMaker(openScanReader);
  await assert.rejects(maker.next(1), /was not started/);
  keep(1);
  assert.equal(await maker.start(order), true);
  assert.equal((await maker.next(1)).totals?.files, 3);
  await maker.end(1);
  await assert.rejects(maker.next(1), /was not started/);
  keep(90 * 2 ** 20);
  assert.equal(await maker.start(order), false);
  await maker.end(1);
});

Deno.test("C 15 ReportMaker makes a report in small chunks", async () => {
  await using directory = await TempDir.make();
  const database = `${directory.path}/test.db`;
  using connection = new Connection(database, { readOnly: false });
  migrate(connection);
  connection.run(`INSERT INTO scans
    (id, user_id, status, paths, skip, created_at, files_total, bytes_total)
    VALUES (1, 1, 'running', '[]', '[]', 0, 3, 3)`);
  const metadata = { note: "é".repeat(300_000) };
  const result = JSON.stringify({ ...plainScan(1), metadata });
  for (let file = 0; file < 40; file++) {
    const hash = String(file).padStart(32, "0");
    const path = String(file).padStart(2, "0");
    connection.run(
      "INSERT INTO scan_files (scan_id, user_id, path, name, hash, size) VALUES (1, 1, :path, 'a', :hash, 1)",
      { path, hash },
    );
    connection.run(
      `INSERT INTO scan_results (hash, user_id, name, skip, version, verdict, findings, scanned_at, result)
       VALUES (:hash, 1, 'a', '[]', '1', 'clean', '[]', 0, :result)`,
      { hash, result },
    );
  }
  const maker = new ReportMaker(openScanReader);
  await maker.start({ database, id: 1, skip: [], version: "1", startedAt: 0, finishedAt: 1 });
  const chunks: ReportChunk[] = [];
  for (let isDone = false; !isDone;) {
    const step = await maker.next(1);
    isDone = step.totals !== undefined;
    chunks.push(...step.chunks);
    const bytes = step.chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
    assert.ok(bytes < 6 * 2 ** 20, `${bytes} bytes at once`);
  }
  assert.ok(chunks.length > 8);
  assert.ok(chunks.every(({ chunk }) => chunk.length < 3 * 2 ** 20));
  const text = chunks.toSorted((a, b) => a.part - b.part)
    .map(({ chunk }) => new TextDecoder().decode(chunk)).join("");
  const { files_scanned, file_metadata } = JSON.parse(text);
  assert.equal(files_scanned, 40);
  assert.equal(file_metadata["39"].note, metadata.note);
});
