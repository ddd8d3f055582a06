import * as assert from "node:assert/strict";
import { Log } from "../../../core/log.ts";
import type { StoredRecords } from "../../../core/ports.ts";
import { Sweeper } from "../../../core/tree/sweeper.ts";
import { TestServer } from "../../support/server.ts";

const RECORD = {
  ...{ id: 1, userId: 1, path: "a", name: "a", isDir: false, createdAt: 1, updatedAt: 1 },
  ...{ hash: "a".repeat(32), size: 1, crc32: 1 },
};

/** So many equal records that are not in memory. */
function storedRecords(length: number): StoredRecords {
  const records: StoredRecords = {
    length,
    bytes: 100 * length,
    owners: new Map([[1, length]]),
    from: (position) => Promise.resolve(position < length ? Array(length).fill(RECORD) : []),
    ownedBy: () => records,
    share: () => records,
    [Symbol.dispose]() {},
  };
  return records;
}

Deno.test("C 31 content that very many records have dropped is left to servers that collect it", async () => {
  await using server = await TestServer.start();
  const { blobs } = server.tree;
  let looks = 0;
  const records = { write: () => Promise.reject(new Error(`look ${++looks}`)) };
  const log = new Log({ level: "error", format: "text", write: () => {} });
  for (
    const [isShared, length, expected] of [[true, 10_001, 0], [true, 10_000, 1], [
      false,
      10_001,
      1,
    ]] as const
  ) {
    looks = 0;
    const sweeper = new Sweeper({ records, blobs, log, isShared });
    sweeper.addRecords(storedRecords(length));
    await sweeper.finish();
    assert.equal(looks, expected, `shared: ${isShared}, ${length} records`);
  }
  blobs.needsSweep = false;
});
