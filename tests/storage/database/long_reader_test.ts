import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/database/connection.ts";
import { LongReader } from "../../../storage/database/long_reader.ts";
import { SqliteResourceStore } from "../../../storage/database/sqlite_resource_store.ts";
import { migrate } from "../../../storage/database/migrate.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const SCOPE = { userId: 1, everyone: false };
const NOT_LINUX = Deno.build.os !== "linux";

/** The number of threads of this process that run workers. */
function workerThreads(): number {
  return entriesOf("task").filter((thread) => read(`task/${thread}/comm`).startsWith("worker-"))
    .length;
}

/** How often this process has a file open. */
function openings(path: string): number {
  return entriesOf("fd").filter((file) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${file}`) === path;
    } catch {
      // It was closed meanwhile.
      return false;
    }
  }).length;
}

function entriesOf(folder: string): string[] {
  return [...Deno.readDirSync(`/proc/self/${folder}`)].map(({ name }) => name);
}

function read(path: string): string {
  try {
    return Deno.readTextFileSync(`/proc/self/${path}`);
  } catch {
    // The thread has ended meanwhile.
    return "";
  }
}

Deno.test({
  name: "C 22 the thread for long reads starts with the first of them",
  ignore: NOT_LINUX,
  async fn() {
    await using directory = await TempDir.make();
    const before = workerThreads();
    await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
    await store.findByPath(SCOPE, ["a"]);
    assert.equal(workerThreads(), before + 2);
    await store.storedBytes(SCOPE, new AbortController().signal);
    assert.equal(workerThreads(), before + 3);
  },
});

Deno.test({
  name: "C 22 the thread for long reads ends when it is not used, with its connections",
  ignore: NOT_LINUX,
  async fn() {
    await using directory = await TempDir.make();
    const path = `${directory.path}/test.db`;
    using connection = new Connection(path, { readOnly: false });
    migrate(connection);
    const [threads, files] = [workerThreads(), openings(path)];
    await using reader = new LongReader(path, { maxUnusedMs: 100 });
    for (let round = 0; round < 3; round++) {
      {
        using worker = reader.acquire();
        assert.equal((await worker.remote.usage(SCOPE)).records, 0);
        assert.ok(openings(path) > files);
      }
      await until(() => workerThreads() === threads);
      // SQLite may keep one for its locks.
      assert.ok(openings(path) <= files + 1, `${openings(path)} openings`);
    }
    reader.hold();
    await reader.pin([1]);
    reader.unpin();
  },
});
