import * as assert from "node:assert/strict";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { STATEMENTS } from "../../../storage/sqlite/statements.ts";
import { RunningWorkers } from "../../support/running_workers.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 22 the thread of long reads makes the reports of all scans", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { scans } = store;
  const scan = { userId: 1, requestedBy: 1, paths: ["a"], skip: [], createdAt: 0 };
  const none = async function* () {};
  const created = await Promise.all(Array.from({ length: 8 }, () => scans.create(scan, none())));
  using workers = new RunningWorkers();
  const scope = { userId: 1, everyone: false };
  await store.shares({ by: "content", scope, limit: 0 }, AbortSignal.any([]));
  assert.equal(workers.max, 1);
  const { signal } = new AbortController();
  const completed = await Promise.all(created.map(({ id }) => scans.complete(id, 1, signal)));
  assert.deepEqual(completed.map(({ status }) => status), Array(8).fill("completed"));
  // It looks the scans up, too, unless it takes long: then, another one does.
  assert.ok(workers.max <= 2, `${workers.max}`);
});

Deno.test("C 15 removeEnded() finds what ended before a time by an index", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  await using _store = await SqliteResourceStore.open(path);
  using connection = new Connection(path, { readOnly: true });
  const plan = connection.all(`EXPLAIN QUERY PLAN ${STATEMENTS.scans.removeEnded}`, {
    before: 0,
    limit: 1,
  });
  assert.match(JSON.stringify(plan), /USING COVERING INDEX scans_by_end/);
  assert.doesNotMatch(JSON.stringify(plan), /SCAN scans\b/);
});
