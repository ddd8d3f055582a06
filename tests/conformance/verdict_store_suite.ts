import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { FileResult } from "../../core/scanner/mod.ts";
import type { Waiver } from "../../core/verdicts.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { SQLITE } from "../../storage/sqlite/dialect.ts";
import { verdictStatements } from "../../storage/tables/verdict_statements.ts";
import { seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
/** What the rows of contents of these tests have. */
const SHA256 = "00".repeat(32);

function resultOf(changes: Partial<FileResult>): FileResult {
  return { ...plainScan(1), hashes: { sha256: SHA256 }, ...changes };
}

function newWaiver(changes: Partial<Waiver> = {}): Omit<Waiver, "id"> {
  const { id: _, ...waiver } = {
    id: 0,
    sha256: SHA256,
    reason: "known \0",
    userId: 3,
    createdAt: 1000,
    expiresAt: null,
    ...changes,
  };
  return waiver;
}

/** The conformance suite for every {@link VerdictStore}. */
export function verdictStoreSuite(engine: StoresEngine): void {
  const test = storesTest(engine);

  test("C 18 verdicts are of contents under their names, in the order of the question", async ({ store }) => {
    const { scans, verdicts } = store;
    const names = ["clean", "dangerous", "failed", "unscanned", "other"];
    await seed(store, names.map((name) => ({ path: name, content: name })));
    const check = {
      status: "failed",
      severity: "critical",
      message: "evil \0 \ud800",
      location: "a \0 \ud800",
      why: "b \0 \ud800",
      ruleCode: "S1",
    };
    const evil = resultOf({ checks: [check as unknown as FileResult["checks"][number]] });
    const key = (name: string) => ({ userId: 1, hash: md5(name), name, skip: [] });
    const before = await verdicts.verdictsOf([key("clean")]);
    assert.deepEqual(before.map(({ verdict }) => verdict), ["unscanned"]);
    // The scanners that are optional do not count.
    const optional = { ...key("clean"), skip: JSON.parse(await skipOf(store)) };
    assert.equal(await scans.keepContentResult(optional, resultOf({})), true);
    assert.equal(
      await scans.keepContentResult({ ...key("dangerous"), skip: optional.skip }, evil),
      true,
    );
    assert.equal(await scans.failContent(key("failed"), "no \0 room"), true);
    const asked = [...names, "absent"].map((name) => ({ userId: 1, hash: md5(name), name }));
    const found = await verdicts.verdictsOf(asked);
    assert.deepEqual(
      found.map(({ verdict }) => verdict),
      ["clean", "dangerous", "failed", "unscanned", "unscanned", "unscanned"],
    );
    const { message, location, why } = found[1]?.findings[0] ?? {};
    assert.deepEqual([message, location, why], [check.message, check.location, check.why]);
    assert.equal(found[2]?.problem, "no \ufffd room");
    assert.deepEqual(found.map(({ sha256 }) => sha256), [...Array(5).fill(SHA256), null]);
    assert.deepEqual(found.map(({ storedAt }) => typeof storedAt), [
      ...Array(5).fill("number"),
      "object",
    ]);
    const many = Array.from({ length: 500 }, (_, index) => asked[index % 6] ?? asked[0]!);
    assert.deepEqual(
      (await verdicts.verdictsOf(many)).map(({ verdict }) => verdict),
      many.map((_, index) => found[index % 6]?.verdict),
    );
    // A result of other content with the same MD5 does not count.
    const forged = { userId: 1, hash: md5("other"), name: "other", skip: optional.skip };
    const other = resultOf({ hashes: { sha256: "11".repeat(32) } });
    assert.equal(await scans.keepContentResult(forged, other), false);
    const { lastId, contents } = await verdicts.unscannedAfter(0);
    assert.deepEqual(contents.map(({ name, size, userId }) => [name, size, userId]), [
      ["unscanned", 9, 1],
      ["other", 5, 1],
    ]);
    assert.ok(lastId !== undefined);
    assert.deepEqual(await verdicts.unscannedAfter(lastId), { contents: [], lastId: undefined });
  });

  test("C 31 verdicts are those of scans for the same user, and results of long ones are reused", async ({ store, dialect, rows }) => {
    const { scans, verdicts } = store;
    const skip: string[] = JSON.parse(await skipOf(store));
    const names = ["quick", "long", "cut"];
    for (const userId of [1, 2, 3]) {
      await seed(store, names.map((name) => ({ path: name, content: name, userId })));
    }
    // Those of other tests have no digest.
    await rows(`UPDATE contents SET sha256 = ${dialect.bytes(`'${SHA256}'`)}`);
    const key = (userId: number, name: string) => ({ userId, hash: md5(name), name, skip });
    const long = { tookMs: 1000.4, readMs: 7 };
    const result = resultOf({});
    await scans.keepContentResult(key(1, "quick"), result, { tookMs: 999, readMs: 0 });
    await scans.keepContentResult(key(1, "long"), result, long);
    const cut = resultOf({ operationalError: "a limit" });
    await scans.keepContentResult(key(1, "cut"), cut, long);
    await scans.failContent(key(2, "quick"), "broken");
    const shown = async (userId: number) =>
      (await verdicts.verdictsOf(names.map((name) => key(userId, name)))).map((it) => it.verdict);
    assert.deepEqual(await shown(1), ["clean", "clean", "inconclusive"]);
    assert.deepEqual(await shown(2), ["failed", "unscanned", "unscanned"]);
    assert.deepEqual(await shown(3), ["unscanned", "unscanned", "unscanned"]);
    const { contents } = await verdicts.unscannedAfter(0);
    assert.deepEqual(contents.map(({ userId, name }) => `${userId} ${name}`), [
      ...["2 long", "2 cut", "3 quick", "3 long", "3 cut"],
    ]);
    for (const userId of [2, 3]) {
      const nothing = { isHeld: true, former: undefined };
      const pace = { tookMs: 1001, readMs: 7 };
      assert.deepEqual(await scans.prospectOf(key(userId, "quick")), nothing);
      assert.deepEqual(await scans.prospectOf(key(userId, "cut")), nothing);
      assert.deepEqual(await scans.prospectOf({ ...key(userId, "long"), name: "other" }), nothing);
      const expected = { isHeld: true, former: { result, pace } };
      assert.deepEqual(await scans.prospectOf(key(userId, "long")), expected);
    }
    assert.equal(await scans.hasResult(key(2, "long")), false);
    // Another user does not have the content at all.
    assert.equal((await scans.prospectOf(key(4, "long"))).isHeld, false);
    // An attempt of one user is none of another one.
    const begin = async (userId: number) => await scans.beginAttempt(key(userId, "quick"), 1);
    assert.deepEqual([await begin(2), await begin(3)], ["begun", "begun"]);
  });

  test("C 18 a verdict is pending while a scan has the content", async ({ store }) => {
    await seed(store, [{ path: "f", content: "f" }]);
    const file = { userId: 1, path: "f", name: "f", hash: md5("f"), size: 1 };
    const skip: string[] = JSON.parse(await skipOf(store));
    const scan = { userId: 1, requestedBy: 1, paths: ["f"], skip, createdAt: 0 };
    await store.scans.create(
      scan,
      (async function* () {
        yield await Promise.resolve([file]);
      })(),
    );
    assert.equal((await store.verdicts.verdictsOf([file]))[0]?.verdict, "pending");
  });

  test("C 18 the records of content under a name are found by id, those of one user", async ({ store }) => {
    const added = await seed(store, [
      "d/",
      { path: "d/f", content: "x" },
      { path: "f", content: "x", userId: 2 },
      { path: "g", content: "x" },
      { path: "f", content: "y" },
      "e/",
      { path: "e/f", content: "x" },
    ]);
    const [, first, others, , , , second] = added;
    assert.ok(first && others && second);
    const content = { userId: 1, hash: md5("x"), name: "f" };
    const found = await store.verdicts.recordsOf(content, 0);
    assert.deepEqual(found, [
      { id: first.id, userId: 1, path: "d/f" },
      { id: second.id, userId: 1, path: "e/f" },
    ]);
    assert.deepEqual(await store.verdicts.recordsOf({ ...content, userId: 2 }, 0), [
      { id: others.id, userId: 2, path: "f" },
    ]);
    assert.deepEqual(await store.verdicts.recordsOf(content, first.id), found.slice(1));
  });

  test("C 18 the newest waiver that has not expired counts", async ({ store }) => {
    const { verdicts } = store;
    await seed(store, [{ path: "f", content: "f" }]);
    const content = { userId: 1, hash: md5("f"), name: "f" };
    const waived = async () => (await verdicts.verdictsOf([content]))[0]?.waiver?.id;
    assert.equal(await waived(), undefined);
    const first = await verdicts.addWaiver(newWaiver());
    assert.deepEqual(first, { ...newWaiver(), reason: "known \ufffd", id: first.id });
    const second = await verdicts.addWaiver(newWaiver({ expiresAt: Date.now() + 100_000 }));
    const expired = await verdicts.addWaiver(newWaiver({ expiresAt: 2000 }));
    const other = await verdicts.addWaiver(newWaiver({ sha256: "ab".repeat(32) }));
    assert.equal(await waived(), second.id);
    const ids = async (page: { limit: number; before?: number }) =>
      (await verdicts.listWaivers(page)).map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 2 }), [other.id, expired.id]);
    assert.deepEqual(await ids({ limit: 9, before: expired.id }), [second.id, first.id]);
    assert.deepEqual(await verdicts.removeWaiver(second.id), second);
    assert.equal(await verdicts.removeWaiver(second.id), undefined);
    assert.equal(await verdicts.removeWaiver(2 ** 64), undefined);
    assert.equal(await waived(), first.id);
  });

  test("C 18 the gate refuses the files of a collection whose verdicts it does not accept", async ({ store }) => {
    const { scans } = store;
    const names = ["a", "b", "c", "d"];
    const files = await seed(store, names.map((name) => ({ path: name, content: name })));
    const skip: string[] = JSON.parse(await skipOf(store));
    await scans.keepContentResult({ userId: 1, hash: md5("a"), name: "a", skip }, resultOf({}));
    const unsure = resultOf({ operationalError: "a limit" });
    await scans.keepContentResult({ userId: 1, hash: md5("b"), name: "b", skip }, unsure);
    await scans.failContent({ userId: 1, hash: md5("d"), name: "d" }, "broken");
    const refused = async (limit: number) => {
      await using collection = await store.collectFiles({ userId: 1, byPath: files, byId: [] });
      const accepted = { verdicts: ["clean"], knownOnly: [] } as const;
      const found = await collection.refused(accepted, limit);
      return found.map(({ path, verdict }) => [path, verdict]);
    };
    const all = [["b", "inconclusive"], ["d", "failed"], ["c", "unscanned"]];
    assert.deepEqual(await refused(10), all);
    assert.deepEqual(await refused(2), all.slice(0, 2));
    await store.verdicts.addWaiver(newWaiver());
    assert.deepEqual(await refused(10), []);
  });

  test("C 24 verdicts are counted by the days of their scans, for their user", async ({ store, dialect, rows }) => {
    const names = ["a.pkl", "b.pkl", "c.pkl"];
    await seed(store, names.map((name) => ({ path: name, content: "same" })));
    await seed(store, [{ path: "d.pkl", userId: 2, content: "same" }]);
    const skip: string[] = JSON.parse(await skipOf(store));
    const keep = (userId: number, name: string, skipped = skip) =>
      store.scans.keepContentResult(
        { userId, hash: md5("same"), name, skip: skipped },
        resultOf({}),
      );
    for (const name of names) await keep(1, name);
    await keep(2, "d.pkl");
    await keep(1, "a.pkl", []);
    const day = 24 * 60 * 60_000;
    const today = Math.floor(Date.now() / day) * day;
    // Midnight may have passed meanwhile.
    const found = await store.verdicts.daysOf(1, today - day);
    assert.ok(found.every(({ day: it }) => it === today || it === today + day));
    assert.ok(found.every(({ verdict }) => verdict === "clean"));
    assert.equal(found.reduce((sum, { files }) => sum + files, 0), 3);
    assert.deepEqual(await store.verdicts.daysOf(1, today + 2 * day), []);
    assert.deepEqual(await store.verdicts.daysOf(3, 0), []);
    if (dialect === SQLITE) {
      const sql = verdictStatements(dialect).days.replace(":user", "1").replace(":since", "0")
        .replace(":skip", "''");
      const [plan] = await rows(`EXPLAIN QUERY PLAN ${sql}`);
      assert.match(String(plan?.detail), /COVERING INDEX scan_results_by_time/);
    }
  });
  test("C 31 the gate refuses content of no known format by its name, or whatever its name is", async ({ store }) => {
    const names = ["a.BIN", "b.xyz", "bin", ".bin", "c.bin.d", "e_bin", "f.bin"];
    const files = await seed(store, names.map((name) => ({ path: name, content: name })));
    const skip: string[] = JSON.parse(await skipOf(store));
    const check = {
      name: "Known Format",
      status: "skipped",
      message: "Not scanned: unknown format",
    };
    const unknown = resultOf({ checks: [check as unknown as FileResult["checks"][number]] });
    for (const name of names) {
      await store.scans.keepContentResult({ userId: 1, hash: md5(name), name, skip }, unknown);
    }
    const refused = async (verdicts: readonly ("clean" | "unknown")[], knownOnly: string[]) => {
      await using collection = await store.collectFiles({ userId: 1, byPath: files, byId: [] });
      const found = await collection.refused({ verdicts, knownOnly }, 10);
      return found.map(({ path, verdict }) => `${path} ${verdict}`).sort();
    };
    assert.deepEqual(await refused(["clean", "unknown"], []), []);
    const byName = await refused(["clean", "unknown"], ["pt", "bin"]);
    assert.deepEqual(byName, ["a.BIN unknown", "f.bin unknown"]);
    assert.equal((await refused(["clean"], [])).length, names.length);
  });
}

/** The scanners that a verdict does without. */
async function skipOf(_: unknown): Promise<string> {
  const { currentResults } = await import("../../storage/tables/verdict_store.ts");
  return currentResults("1").skip;
}
