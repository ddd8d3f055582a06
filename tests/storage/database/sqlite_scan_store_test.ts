import * as assert from "node:assert/strict";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 15 complete() stops when its signal aborts", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const { scans } = store;
  const scan = { userId: 1, paths: ["a"], skip: [], createdAt: 0 };
  const { id } = await scans.create(scan, (async function* () {})());
  const reason = new Error("canceled");
  await assert.rejects(scans.complete(id, 1, AbortSignal.abort(reason)), reason);
  const midway = new AbortController();
  const completed = scans.complete(id, 1, midway.signal);
  setTimeout(() => midway.abort(reason));
  await assert.rejects(completed, reason);
  assert.equal((await scans.find(id))?.status, "queued");
  assert.equal((await scans.complete(id, 1, new AbortController().signal)).status, "completed");
});
