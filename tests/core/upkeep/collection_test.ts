import * as assert from "node:assert/strict";
import { Log } from "../../../core/log.ts";
import { collectDropped } from "../../../core/upkeep/collection.ts";
import { TestServer } from "../../support/server.ts";

/** So many contents that no record has, and that are looked at together. */
const DROPPED = 20_000;
const TOGETHER = 1000;

Deno.test("C 31 dropped contents are removed a thousand at a time, without a pause", async () => {
  await using server = await TestServer.start();
  const { records, blobs } = server.tree;
  const names = Array.from({ length: DROPPED }, (_, index) => `${index}`.padStart(32, "0"));
  let transactions = 0;
  const tidied = Promise.withResolvers<void>();
  await using _ = collectDropped({
    blobs,
    records: {
      write(work, options) {
        transactions++;
        return records.write(work, options);
      },
    },
    shared: {
      dropped: (limit) => Promise.resolve(names.splice(0, limit)),
      tidy: () => Promise.resolve(tidied.resolve()),
      written: () => 0,
    },
    log: new Log({ level: "error", format: "text", write: (line) => assert.fail(line) }),
    // Longer than the test takes: it sees one round.
    intervalMs: 600_000,
  });
  await tidied.promise;
  assert.deepEqual(names, []);
  assert.equal(transactions, DROPPED / TOGETHER);
});
