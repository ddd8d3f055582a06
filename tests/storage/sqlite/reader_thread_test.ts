import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { ReaderThread } from "../../../storage/sqlite/reader_thread.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { RunningWorkers } from "../../support/running_workers.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const SCOPE = { userId: 1, everyone: false };

/** How often this process has a file open. */
function openings(path: string): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name: file }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${file}`) === path;
    } catch {
      // It was closed meanwhile.
      return false;
    }
  }).length;
}

/** The workers of a store at first, after a lookup, and after a long read. */
async function workersOfStore(): Promise<number[]> {
  await using directory = await TempDir.make();
  using workers = new RunningWorkers();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  await store.findByPath(SCOPE, ["a"]);
  const counts = [workers.count];
  await store.findByPath({ ...SCOPE, everyone: true }, ["a"]);
  counts.push(workers.count);
  await store.shares({ by: "user", scope: SCOPE, limit: 0 }, new AbortController().signal);
  return [...counts, workers.count];
}

Deno.test("C 22 lookups and long reads share a thread, which starts when it is needed", async () => {
  let counts = await workersOfStore();
  // On a busy machine, a lookup may take so long that another thread starts.
  for (let i = 0; i < 10 && counts[2] !== 2; i++) counts = await workersOfStore();
  assert.deepEqual(counts, [1, 2, 2]);
});

Deno.test({
  name: "C 22 a thread that reads ends when it is not used, with its connections, and starts again",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    const path = `${directory.path}/test.db`;
    using connection = new Connection(path, { readOnly: false });
    migrate(connection);
    using workers = new RunningWorkers();
    const files = openings(path);
    await using reader = new ReaderThread(path, { maxUnusedMs: 100 });
    for (let round = 0; round < 3; round++) {
      {
        using worker = reader.acquire();
        assert.equal((await worker.remote.usage(SCOPE)).records, 0);
        assert.ok(openings(path) > files);
      }
      await until(() => workers.count === 0);
      assert.equal((await reader.calls.usage(SCOPE)).records, 0);
      assert.equal(workers.count, 1);
      await until(() => workers.count === 0);
      // SQLite may keep one for its locks.
      assert.ok(openings(path) <= files + 1, `${openings(path)} openings`);
    }
    reader.hold();
    await reader.pin([1]);
    reader.unpin();
  },
});
