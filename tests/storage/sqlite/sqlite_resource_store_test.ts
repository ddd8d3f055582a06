import * as assert from "node:assert/strict";
import type { ResourceRecord } from "../../../core/ports.ts";
import { SqliteResourceStore } from "../../../storage/sqlite/sqlite_resource_store.ts";
import { PATIENT, resourceStoreSuite } from "../../conformance/resource_store_suite.ts";
import { seed } from "../../support/seed.ts";
import { TempDir } from "../../support/temp_dir.ts";

resourceStoreSuite("SqliteResourceStore", async () => {
  const directory = await TempDir.make();
  const store = await SqliteResourceStore.open(`${directory.path}/strongroom.db`, PATIENT);
  const close = store[Symbol.asyncDispose].bind(store);
  store[Symbol.asyncDispose] = async () => {
    await close();
    await directory[Symbol.asyncDispose]();
  };
  return store;
});

for (const directories of [[], ["d"], ["d", "e"]]) {
  const what = directories.length === 0 ? "the root" : directories.join(" and ");
  Deno.test(`C 8 a listing of ${what} that nobody reads does not keep the log from starting anew`, async () => {
    await using directory = await TempDir.make();
    const path = `${directory.path}/test.db`;
    await using store = await SqliteResourceStore.open(path, { listIdleMs: 1 });
    const names = Array.from({ length: 1200 }, (_, index) => `d/${String(index).padStart(4, "0")}`);
    await seed(store, ["d/", "e/", ...names]);
    const scope = { userId: 1, everyone: false };
    const query = { scope, recursive: true, directories, chain: directories };
    const batches = store.list(query)[Symbol.asyncIterator]();
    const seen: string[] = [];
    const take = ({ value, done }: IteratorResult<readonly ResourceRecord[]>) => {
      if (!done) seen.push(...value.map(({ path }) => path));
      return !done;
    };
    take(await batches.next());
    await new Promise((resolve) => setTimeout(resolve, 30));
    // Several times what the log holds before it is checkpointed and starts anew.
    for (let round = 0; round < 12; round++) {
      const added = names.map((name) => ({
        path: `${name.slice(2)}${"x".repeat(100)}${round}`,
        userId: 2,
      }));
      await seed(store, added);
    }
    const { size } = await Deno.stat(`${path}-wal`);
    assert.ok(size < 10 * 2 ** 20, `the log has ${size} bytes`);
    while (take(await batches.next()));
    const expected = directories.length === 2 ? ["d", ...names, "e"] : ["d", ...names];
    assert.deepEqual(seen.sort(), directories.length === 0 ? ["d", ...names, "e"] : expected);
  });
}

Deno.test("C 12 writes of requests that a stop cuts off are refused, and do not end the process", async () => {
  await using directory = await TempDir.make();
  const fatal: Error[] = [];
  const store = await SqliteResourceStore.open(`${directory.path}/test.db`, {
    onFatal: (error) => fatal.push(error),
  });
  let isClosed = false;
  const closing = store[Symbol.asyncDispose]().then(() => isClosed = true);
  const writes: Promise<string>[] = [];
  while (!isClosed) {
    const write = store.write((transaction) => transaction.usage(1));
    writes.push(write.then(() => "done", ({ message }) => message));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await closing;
  assert.deepEqual(fatal, []);
  const outcomes = new Set(await Promise.all(writes));
  assert.deepEqual(outcomes.difference(new Set(["done"])), new Set(["The database is closing"]));
});

Deno.test("C 8 a batch of a listing is bounded in bytes", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const above = Array.from({ length: 15 }, () => "d".repeat(250)).join("/");
  const parents = Array.from({ length: 15 }, (_, index) => `${above.slice(0, 251 * index + 250)}/`);
  const names = Array.from({ length: 300 }, (_, index) => `${above}/${index}`);
  await seed(store, [...parents, ...names]);
  const scope = { userId: 1, everyone: false };
  for (const directories of [[], [above]]) {
    const query = { scope, recursive: true, directories, chain: [] };
    const batches = await Array.fromAsync(store.list(query));
    assert.ok(batches.every((batch) => JSON.stringify(batch).length < 60_000));
    const paths = new Set(batches.flat().map(({ path }) => path));
    assert.deepEqual(names.filter((name) => !paths.has(name)), []);
    assert.equal(batches.flat().length, paths.size);
  }
});

Deno.test("C 22 a reply to a listing that nobody reads holds three parts of less than 85 KiB", async () => {
  await using directory = await TempDir.make();
  await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
  const names = Array.from({ length: 2000 }, (_, index) => `d/${"n".repeat(index % 60)}${index}`);
  await seed(store, ["d/", ...names]);
  const scope = { userId: 1, everyone: false };
  for (const directories of [[], ["d"]]) {
    const query = { scope, recursive: true, directories, chain: directories };
    const parts = await Array.fromAsync(store.listJson(query));
    assert.ok(parts.every(({ json }) => json.length < 85 * 1024));
    const text = parts.map(({ json }) => new TextDecoder().decode(json)).join("");
    const entries: { path: string }[] = JSON.parse(`[${text.slice(1)}]`);
    const records = (await Array.fromAsync(store.list(query))).flat();
    assert.deepEqual(entries.map(({ path }) => path), records.map(({ path }) => path));
    assert.equal(parts.reduce((sum, { count }) => sum + count, 0), records.length);
  }
});

Deno.test("C 8 list() throws when the database fails, instead of ending early", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/test.db`;
  {
    await using store = await SqliteResourceStore.open(path);
    await seed(store, ["d/", ...Array.from({ length: 5000 }, (_, index) => `d/f${index}`)]);
  }
  {
    // Damage pages in the middle, and leave the first pages that refer to them intact.
    using file = await Deno.open(path, { write: true });
    const { size } = await file.stat();
    await file.seek(Math.floor(size / 4096 / 2) * 4096, Deno.SeekMode.Start);
    await file.write(new Uint8Array(Math.floor(size / 4096 / 4) * 4096).fill(0xff));
  }
  await using store = await SqliteResourceStore.open(path);
  const scope = { userId: 1, everyone: false };
  for (const directories of [[], ["d"]]) {
    const query = { scope, recursive: true, directories, chain: directories };
    await assert.rejects(Array.fromAsync(store.list(query)));
  }
});

Deno.test({
  name: "C 8 list() closes all files of a listing that is not read to its end",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using directory = await TempDir.make();
    await using store = await SqliteResourceStore.open(`${directory.path}/test.db`);
    await seed(store, Array.from({ length: 1200 }, (_, index) => `f${index}`));
    const scope = { userId: 1, everyone: false };
    const query = { scope, recursive: false, directories: [], chain: [] };
    const path = await Deno.realPath(directory.path);
    const openFiles = () =>
      Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => {
        try {
          return Deno.readLinkSync(`/proc/self/fd/${name}`);
        } catch {
          // Another test in this process closed it meanwhile.
          return "";
        }
      }).filter((file) => file.startsWith(path)).length;
    const listSome = async () => {
      const batches = Array.from({ length: 8 }, () => store.list(query)[Symbol.asyncIterator]());
      await Promise.all(batches.map((it) => it.next()));
      await Promise.all(batches.map((it) => it.return?.(undefined)));
    };
    await listSome();
    const before = openFiles();
    for (let round = 0; round < 5; round++) await listSome();
    assert.equal(openFiles(), before);
  },
});
