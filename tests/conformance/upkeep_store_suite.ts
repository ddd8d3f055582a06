import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { newRecord, seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** The conformance suite for every {@link UpkeepStore}. */
export function upkeepStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);
  const texts = Array.from({ length: 40 }, (_, index) => `content ${index}`);
  const hashes = texts.map(md5).sort();

  test("C 22 stored content is compared with the records, hash by hash", async ({ store }) => {
    const { upkeep } = store;
    const files = texts.map((text) => ({ path: text, content: text }));
    await seed(store, ["d/", ...files, { path: "d/again", content: "content 0" }]);
    await store.write(async (transaction) => {
      const scope = { userId: 1, everyone: false };
      const found = await transaction.findByPath(scope, ["content 1", "content 2"]);
      await transaction.deleteSubtrees([...found.values()]);
    });
    const gone = [md5("content 1"), md5("content 2")];
    assert.deepEqual((await upkeep.unreferenced(10)).sort(), gone.toSorted());
    assert.equal((await upkeep.unreferenced(1)).length, 1);
    for (const prefix of [...new Set(hashes.map((hash) => hash.slice(0, 2)))]) {
      const here = (list: readonly string[]) =>
        list.filter((hash) => hash.startsWith(prefix)).sort();
      const kept = hashes.filter((hash) => !gone.includes(hash));
      const foreign = `${prefix}${"a".repeat(30)}`;
      const gap = await upkeep.findGap(prefix, [foreign]);
      assert.deepEqual(gap.missing.toSorted(), here(kept));
      assert.deepEqual(gap.unreferenced.toSorted(), [foreign, ...here(gone)].sort());
    }
    const found = await upkeep.filesOf([md5("content 0"), ...gone]);
    const { size, crc32, hash } = newRecord({ path: "x", content: "content 0" });
    assert.deepEqual([...found], [[hash, { userId: 1, path: "content 0", size, crc32, hash }]]);
  });

  test("C 31 records that no request can name are found", async ({ store, rows }) => {
    await seed(store, ["a/", "a/ b/", "a/ b/c d"]);
    assert.deepEqual(await store.upkeep.unnameable(9), { count: 0, files: [] });
    const spaces = [" ", "\u00a0", "\u1680", "\u2000", "\u200a", "\u2028", "\u202f", "\u205f"];
    for (const [index, space] of [...spaces, "\u3000", "\ufeff"].entries()) {
      await seed(store, [`${index}/`]);
      const name = index % 2 === 0 ? `${space}x` : `x${space}`;
      await rows(`UPDATE records SET path = '${name}', name = '${name}' WHERE path = '${index}'`);
    }
    const { count, files } = await store.upkeep.unnameable(2);
    assert.deepEqual([count, files], [10, [{ userId: 1, path: " x" }, {
      userId: 1,
      path: "x\u00a0",
    }]]);
  });

  test("C 31 the time that counts is remembered", async ({ store: { upkeep } }) => {
    const day = 24 * 60 * 60_000;
    assert.equal(await upkeep.settledTime(100 * day), 0);
    assert.equal(await upkeep.settledTime(101 * day - 1), 0);
    assert.equal(await upkeep.settledTime(101 * day), 100 * day);
    assert.equal(await upkeep.settledTime(99 * day), 99 * day);
  });

  test("C 22 content is read in the order of hashes, and its SHA-256 stored once", async ({ store, rows }) => {
    const { upkeep } = store;
    await seed(store, texts.map((text) => ({ path: text, content: text })));
    const read = async (page: typeof upkeep.contentsAfter) => {
      const all: string[] = [];
      for (let after: string | undefined = "";;) {
        const found = await page(after, 7);
        all.push(...found.map(({ hash }) => hash));
        after = found.at(-1)?.hash;
        if (after === undefined) return all;
      }
    };
    assert.deepEqual(await read((...page) => upkeep.contentsAfter(...page)), hashes);
    assert.deepEqual(await read((...page) => upkeep.withoutSha256(...page)), []);
    await rows("UPDATE contents SET sha256 = NULL");
    assert.deepEqual(await read((...page) => upkeep.withoutSha256(...page)), hashes);
    await upkeep.saveSha256(new Map());
    await upkeep.saveSha256(new Map(texts.slice(1).map((text) => [md5(text), sha256(text)])));
    await upkeep.saveSha256(new Map([[md5("content 5"), sha256("other")]]));
    assert.deepEqual(await read((...page) => upkeep.withoutSha256(...page)), [md5("content 0")]);
    const verdicts = await store.verdicts.verdictsOf(
      texts.map((text) => ({ userId: 1, hash: md5(text), name: text })),
    );
    assert.deepEqual(verdicts.map((it) => it.sha256), [null, ...texts.slice(1).map(sha256)]);
  });

  test("C 1 each transaction is counted, also one that announces content", async ({ store }) => {
    const before = await store.measure();
    const content = {
      hash: md5("a"),
      size: 1,
      crc32: 0,
      sha256: new Uint8Array(32),
      bytes: undefined,
    };
    await store.contents.announce([content]);
    // What fills trees for tests may announce content, too.
    await store.write((transaction) => transaction.insert(["a", "b"].map(newRecord)), {
      userId: 1,
    });
    await store.upkeep.saveScrubProgress({ startedAt: 5, position: "" });
    const after = await store.measure();
    assert.deepEqual([after.commits - before.commits, after.works - before.works], [3, 3]);
  });

  test("C 22 accepted losses and the progress of a scrub are remembered", async ({ store: { upkeep } }) => {
    const [first = "", second = "", third = ""] = hashes;
    assert.deepEqual(await upkeep.newLosses([first, second]), [first, second]);
    await upkeep.acceptLosses([first, third]);
    await upkeep.acceptLosses([first]);
    assert.deepEqual(await upkeep.newLosses([first, second]), [second]);
    assert.deepEqual(await upkeep.scrubProgress(), { startedAt: 0, position: "" });
    await upkeep.saveScrubProgress({ startedAt: 5, position: first });
    assert.deepEqual(await upkeep.scrubProgress(), { startedAt: 5, position: first });
  });
}
