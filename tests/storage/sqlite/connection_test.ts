import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("Connection uses WAL mode, syncs fully and enforces foreign keys", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  assert.equal(connection.get("PRAGMA journal_mode")?.journal_mode, "wal");
  assert.equal(connection.get("PRAGMA synchronous")?.synchronous, 2);
  assert.equal(connection.get("PRAGMA foreign_keys")?.foreign_keys, 1);
  assert.equal(connection.get("PRAGMA busy_timeout")?.timeout, 10_000);
});
