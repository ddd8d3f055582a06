import * as assert from "node:assert/strict";
import type { ShareQuery } from "../../core/shares.ts";
import { seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const scope = { userId: 1, everyone: false };
const { signal } = new AbortController();

/** The conformance suite for the parts of what trees hold. */
export function sharesSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 24 shares() of a directory counts each entry with all below it, over many pages", async ({ store }) => {
    const many = Array.from({ length: 6000 }, (_, index) => `a/${index}`);
    await seed(store, [
      "a/",
      ...many.map((path) => ({ path, content: "12" })),
      // These sort between the directory and what is in it, and after it.
      { path: "a-b", content: "123" },
      { path: "a0", content: "1234" },
      "b/",
      "b/c/",
      { path: "b/c/😀.bin", content: "12345" },
      { path: "b/ü", content: "x" },
      "empty/",
    ]);
    const other = [{ path: "a/" }, { path: "a/other", content: "y".repeat(99) }];
    await seed(store, other.map((it) => ({ ...it, userId: 2 })));
    const shares = async (directory: string, limit = 100) => {
      const found = await store.shares({ by: "entry", directory, scope, limit }, signal);
      const items = found.items.map(({ name, isDir, files, bytes }) =>
        `${name}${isDir ? "/" : ""} ${files} ${bytes}`
      );
      return { items, total: found.total };
    };
    assert.deepEqual(await shares(""), {
      items: ["a/ 6000 12000", "b/ 2 6", "a0 1 4", "a-b 1 3", "empty/ 0 0"],
      total: { parts: 5, files: 6004, bytes: 12_013 },
    });
    assert.deepEqual(await shares("", 1), {
      items: ["a/ 6000 12000"],
      total: { parts: 5, files: 6004, bytes: 12_013 },
    });
    assert.deepEqual((await shares("b")).items, ["c/ 1 5", "ü 1 1"]);
    assert.deepEqual((await shares("b/c")).items, ["😀.bin 1 5"]);
    assert.deepEqual(await shares("empty"), {
      items: [],
      total: { parts: 0, files: 0, bytes: 0 },
    });
    const { total } = await shares("a");
    assert.deepEqual(total, { parts: 6000, files: 6000, bytes: 12_000 });
  });

  test("C 24 shares() are by the extension of names, by user and by content", async ({ store }) => {
    await seed(store, [
      "dir.bin/",
      { path: "dir.bin/a.BIN", content: "123" },
      { path: "dir.bin/b.tar.bin", content: "123" },
      { path: "x.x.x.gguf", content: "1234" },
      { path: ".hidden", content: "1" },
      { path: "README", content: "1" },
      { path: "dots...", content: "1" },
      { path: "a.seventeen-letters", content: "1" },
      { path: "é.ü", content: "12" },
    ]);
    await seed(store, [{ path: "c.bin", userId: 2, content: "12" }]);
    const of = async (
      query: Pick<ShareQuery, "scope"> & { by: "content" | "extension" | "user" },
    ) =>
      (await store.shares({ ...query, limit: 10 }, signal)).items.map(({ name, files, bytes }) =>
        `${name} ${files} ${bytes}`
      );
    assert.deepEqual(await of({ by: "extension", scope }), [
      "bin 2 6",
      " 4 4",
      "gguf 1 4",
      "ü 1 2",
    ]);
    const everyone = { userId: 1, everyone: true };
    assert.deepEqual((await of({ by: "extension", scope: everyone }))[0], "bin 3 8");
    assert.deepEqual(await of({ by: "user", scope: everyone }), ["1 8 16", "2 1 2"]);
    const contents = await store.shares({ by: "content", scope, limit: 1 }, signal);
    assert.deepEqual(contents.total.bytes, 3 + 4 + 1 + 2);
  });
}
