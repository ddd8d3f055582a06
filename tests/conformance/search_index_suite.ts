import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Log } from "../../core/log.ts";
import { OPTIONAL_SCANNER_IDS } from "../../core/scanner/mod.ts";
import { SearchUpkeep } from "../../core/upkeep/search_upkeep.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";
import { until } from "../support/until.ts";

const SILENT = new Log({ level: "error", format: "json", write: (line) => assert.fail(line) });

/** The conformance suite for every index of searches. */
export function searchIndexSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 29 a directory that takes long rests before it is put together anew", async ({ store }) => {
    const { searchIndex, scans, verdicts } = store;
    const files = ["a", "b", "c"].map((name) => ({ path: `d/${name}`, content: name }));
    await seed(store, ["d/", ...files]);
    const keepFacts = async (name: string, format: string) => {
      const hash = createHash("md5").update(name).digest("hex");
      const key = { userId: 1, hash, name, skip: OPTIONAL_SCANNER_IDS.toSorted() };
      const result = { ...plainScan(1), hashes: { sha256: "00".repeat(32) } };
      assert.ok(await scans.keepContentResult(key, { ...result, facts: { format } }));
    };
    let time = 0;
    const put: unknown[] = [];
    let merged = 0;
    await keepFacts("a", "gguf");
    await using _ = new SearchUpkeep({
      log: SILENT,
      now: () => time,
      index: {
        users: (above) => searchIndex.users(above),
        marks: (after, limit) => searchIndex.marks(after, limit),
        settleAdded: () => searchIndex.settleAdded(),
        async settle(marks, directories, again) {
          await searchIndex.settle(marks, directories, again);
          put.push(...directories.map(({ facts }) => facts));
          merged += again.length;
        },
      },
      tree: {
        records: store,
        verdicts: {
          factsOf(files) {
            time += 100;
            return verdicts.factsOf(files);
          },
        },
      },
    });
    const marks = () => searchIndex.marks(0, 10);
    await until(async () => (await marks()).length === 0);
    assert.deepEqual(put, [{ format: "gguf" }]);
    await keepFacts("b", "onnx");
    await keepFacts("c", "onnx");
    await until(() => merged > 0 || put.length > 1);
    // One of its marks is left, so that it is known to change.
    assert.deepEqual((await marks()).map(({ directory }) => directory), ["d"]);
    assert.equal(put.length, 1);
    time += 2000;
    await until(async () => (await marks()).length === 0);
    assert.equal(put.length, 2);
  });

  test("C 29 an index finds what an author has filed under a word before a colon", async ({ store }) => {
    const { scans, searchIndex } = store;
    const tags = ["license:blue", "dataset:red", "base_model:a/b"];
    const facts = [{ tags: ["License:Blue", "dataset:red", "base_model:a/b"] }, {
      license: "blue",
      datasets: ["red"],
      base_models: ["a/b"],
    }];
    for (const [index, it] of facts.entries()) {
      const path = `file${index}`;
      await seed(store, [{ path, content: path }]);
      const hash = createHash("md5").update(path).digest("hex");
      const key = { userId: 1, hash, name: path, skip: OPTIONAL_SCANNER_IDS.toSorted() };
      const result = { ...plainScan(1), hashes: { sha256: "00".repeat(32) } };
      assert.ok(await scans.keepContentResult(key, { ...result, facts: it }));
    }
    const marks = await searchIndex.marks(0, 10);
    await searchIndex.settle(marks, [], []);
    for (const tag of tags) {
      const page = await store.search({
        ...{ userId: 1, directory: "", words: [], tags: [tag], after: "", limit: 10 },
        ...{ sort: { by: "path", isDescending: false }, wantsFacets: false, wantsKnown: false },
      });
      assert.deepEqual(page?.records.map(({ path }) => path), ["file0", "file1"], tag);
    }
  });

  test("C 26, C 29 what was read before a purge is not written after it", async ({ store }) => {
    const { scans, searchIndex } = store;
    await seed(store, ["d/", { path: "d/README.md", content: "secret" }]);
    const hash = createHash("md5").update("secret").digest("hex");
    const key = { userId: 1, hash, name: "README.md", skip: OPTIONAL_SCANNER_IDS.toSorted() };
    const result = { ...plainScan(1), hashes: { sha256: "00".repeat(32) } };
    assert.ok(await scans.keepContentResult(key, { ...result, facts: { card: "zanzibar" } }));
    const found = async () => {
      const page = await store.search({
        ...{ userId: 1, directory: "", words: ["zanzibar"], tags: [], after: "", limit: 10 },
        ...{ sort: { by: "path", isDescending: false }, wantsFacets: false, wantsKnown: false },
      });
      return page?.records.map(({ path }) => path);
    };
    const scope = { userId: 1, everyone: false };
    const records = await store.findByPath(scope, ["d", "d/README.md"]);
    const [directory, readme] = [records.get("d"), records.get("d/README.md")];
    assert.ok(directory !== undefined && readme !== undefined);
    const marks = await searchIndex.marks(0, 10);
    await store.write(async (transaction) => {
      await transaction.deleteSubtrees([readme]);
      await transaction.last(async () => {
        await transaction.history.purge({
          userId: 1,
          paths: [readme.path],
          hashes: [readme.hash],
        });
      });
    });
    const { id } = directory;
    await searchIndex.settle(marks, [{ id, facts: { card: "zanzibar" } }], []);
    assert.deepEqual(await found(), []);
    const left = await searchIndex.marks(0, 10);
    assert.ok(left.some((mark) => mark.directory === "d"));
    await searchIndex.settle(left, [{ id, facts: undefined }], []);
    assert.deepEqual(await searchIndex.marks(0, 10), []);
  });

  test("C 29 the verdicts of directories take a page no more than it may look at", async ({ store }) => {
    const files = Array.from({ length: 20_000 }, (_, index) => ({ path: `a/b/c/${index}` }));
    await seed(store, ["a/", "a/b/", "a/b/c/", { path: "a/0" }, ...files]);
    const page = async (after: string, kind?: "file") => {
      const found = await store.search({
        ...{ userId: 1, directory: "", words: [], verdicts: ["unscanned"], kind, after, limit: 2 },
        ...{ sort: { by: "path", isDescending: false }, wantsFacets: false, wantsKnown: false },
      });
      return [found?.records.map(({ path }) => path), found?.next];
    };
    // One with more files has no verdict, and is found by none.
    assert.deepEqual(await page(""), [[], "a"]);
    assert.deepEqual(await page("a"), [["a/0", "a/b"], "a/b"]);
    assert.deepEqual(await page("a/b"), [["a/b/c"], "a/b/c"]);
    assert.deepEqual(await page("a/b/c"), [["a/b/c/0", "a/b/c/1"], "a/b/c/1"]);
    assert.deepEqual(await page("", "file"), [["a/0", "a/b/c/0"], "a/b/c/0"]);
  });
}
