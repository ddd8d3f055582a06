import * as assert from "node:assert/strict";
import { Log } from "../../../core/log.ts";
import type { SearchMark } from "../../../core/search.ts";
import { SearchUpkeep } from "../../../core/upkeep/search_upkeep.ts";
import { until } from "../../support/until.ts";

Deno.test("C 29 an index that cannot be kept is logged once, not each second", async () => {
  const lines: string[] = [];
  let isFull = true;
  let rounds = 0;
  const after = async (count: number) => {
    const end = rounds + count;
    await until(() => rounds >= end);
  };
  await using _ = new SearchUpkeep({
    log: new Log({ level: "error", format: "json", write: (line) => lines.push(line) }),
    index: {
      users: () => Promise.resolve([]),
      settleAdded: () => Promise.resolve(false),
      marks() {
        rounds++;
        if (isFull) return Promise.reject(new Error("The disk is full"));
        isFull = true;
        return Promise.resolve([]);
      },
      settle: () => Promise.reject(new Error("Nothing is marked")),
    },
    tree: {
      records: { findByPath: () => Promise.resolve(new Map()), async *list() {} },
      verdicts: { factsOf: () => Promise.resolve([]) },
    },
  });
  await after(2);
  assert.equal(lines.length, 1);
  isFull = false;
  await after(2);
  assert.equal(lines.length, 2);
});

Deno.test("C 31 a round passes what it has removed once, however long others may see it", async () => {
  const left: SearchMark[] = Array.from(
    { length: 1000 },
    (_, index) => ({ position: index + 1, userId: 1, id: index, directory: undefined }),
  );
  const starts: number[] = [];
  await using _ = new SearchUpkeep({
    log: new Log({ level: "error", format: "json", write: (line) => assert.fail(line) }),
    index: {
      users: () => Promise.resolve([]),
      settleAdded: () => Promise.resolve(false),
      marks(after, limit) {
        starts.push(after);
        return Promise.resolve(left.filter(({ position }) => position > after).slice(0, limit));
      },
      settle(marks) {
        left.splice(0, marks.length);
        return Promise.resolve();
      },
    },
    tree: {
      records: { findByPath: () => Promise.resolve(new Map()), async *list() {} },
      verdicts: { factsOf: () => Promise.resolve([]) },
    },
  });
  await until(() => starts.length > 5);
  assert.deepEqual(starts.slice(0, 6), [0, 200, 400, 600, 800, 1000]);
});
