import * as assert from "node:assert/strict";
import { Log } from "../../../core/log.ts";
import { SearchUpkeep } from "../../../core/upkeep/search_upkeep.ts";
import { until } from "../../support/until.ts";

Deno.test("C 29 an index that cannot be kept is logged once, not each second", async () => {
  const lines: string[] = [];
  let isFull = true;
  let attempts = 0;
  const rounds = async (count: number) => {
    const end = attempts + count;
    await until(() => attempts >= end);
  };
  await using _ = new SearchUpkeep({
    log: new Log({ level: "error", format: "json", write: (line) => lines.push(line) }),
    index: {
      users: () => Promise.resolve([]),
      marks: (after) =>
        Promise.resolve(
          after === 0 ? [{ position: 1, userId: 1, id: 1, directory: undefined }] : [],
        ),
      settle() {
        attempts++;
        if (isFull) return Promise.reject(new Error("The disk is full"));
        isFull = true;
        return Promise.resolve();
      },
    },
    tree: {
      records: { findByPath: () => Promise.resolve(new Map()), async *list() {} },
      verdicts: { factsOf: () => Promise.resolve([]) },
    },
  });
  await rounds(2);
  assert.equal(lines.length, 1);
  isFull = false;
  await rounds(2);
  assert.equal(lines.length, 2);
});
