import * as assert from "node:assert/strict";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import { Connection } from "../../../storage/database/connection.ts";
import { migrate } from "../../../storage/database/migrate.ts";
import { makeReport } from "../../../storage/database/scan_reports.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 15 makeReport() returns undefined for results that would take too much memory", async () => {
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
      "INSERT INTO scan_files (scan_id, path, name, hash, size) VALUES (1, :path, 'a', :hash, 1)",
      { path, hash },
    );
  }
  const order = { database, id: 1, skip: [], version: "1", startedAt: 0, finishedAt: 1 };
  const keep = (padding: number) =>
    connection.run(
      `INSERT OR REPLACE INTO scan_results (hash, name, skip, version, result)
       VALUES (:hash, 'a', '[]', '1', :result || printf('%*c', :padding, ' '))`,
      { hash, result, padding },
    );
  keep(1);
  assert.equal(makeReport(order)?.files, 3);
  keep(90 * 2 ** 20);
  assert.equal(makeReport(order), undefined);
});
