import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { OPTIONAL_SCANNER_IDS } from "../../core/scanner/mod.ts";
import type { ResultKey, Scan, ScanFile, ScanStore } from "../../core/scans/ports.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { seed } from "../support/seed.ts";
import { type StoresEngine, storesTest } from "../support/stores.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

/** A path that is longer than what an index may hold of it. */
const LONG = Array.from({ length: 12 }, (_, index) => `${index}`.padEnd(120, "é")).join("/");

function keyOf(content: string, name = content): ResultKey {
  return { userId: 1, hash: md5(content), name, skip: [] };
}

/** Creates a scan of files, each of which has its name as content. */
function scanOf(scans: ScanStore, paths: readonly string[]): Promise<Scan> {
  const files = paths.map((path): ScanFile => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return { userId: 1, path, name, hash: md5(name), size: 1 };
  });
  return scans.create(
    { userId: 1, requestedBy: 2, paths, skip: [], createdAt: 5 },
    (async function* () {
      yield await Promise.resolve(files);
    })(),
  );
}

async function reportOf(scans: ScanStore, id: number): Promise<Record<string, unknown>> {
  const chunks = await Array.fromAsync(await scans.report(id) ?? []);
  return JSON.parse(new TextDecoder().decode(await new Blob(chunks).bytes()));
}

/** The conformance suite for every {@link ScanStore}: its files, attempts, results and reports. */
export function scanResultsSuite(engine: StoresEngine): void {
  const test = storesTest(engine);
  const { signal } = new AbortController();

  test("C 15 a scan has its files in order of their bytes, whatever they are", async ({ store: { scans } }) => {
    const paths = ["a/Z", "a/z", "a/é", "a/\u{1f600}", `${LONG}/a`, `${LONG}/b`, "B", "a!"];
    const scan = await scanOf(scans, paths);
    assert.deepEqual([scan.status, scan.filesTotal, scan.bytesTotal], ["queued", 8, 8]);
    assert.deepEqual(await scans.find(scan.id), scan);
    const found = (await Array.fromAsync(scans.files(scan.id))).flat();
    const ordered = paths.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(found.map(({ path }) => path), ordered);
    await assert.rejects(scanOf(scans, ["same", "same"]));
    await scans.start(scan.id, 7);
    const started = await scans.find(scan.id);
    assert.deepEqual([started?.status, started?.startedAt], ["running", 7]);
    assert.deepEqual(await scans.requeue(), [scan]);
  });

  test("C 15 all paths of a scan are kept, and the first of them shown", async ({ store: { scans } }) => {
    const paths = Array.from({ length: 5000 }, (_, index) => `some path ${index}`);
    const { id } = await scanOf(scans, paths);
    const found = await scans.find(id);
    assert.ok(found && found.pathsTotal === 5000 && found.paths.length < 2000);
    assert.deepEqual(await scans.paths(found), paths);
  });

  test("C 15 a report has the results and failures of all files", async ({ store: { scans } }) => {
    const { id } = await scanOf(scans, [`${LONG}/good`, "bad", "cut", "d/good"]);
    const good = { ...plainScan(1), metadata: { note: "\0 \ud800 \\u0000" } };
    const cut = { ...plainScan(2), operationalError: "a limit \0" };
    assert.equal(await scans.keepResult(id, `${LONG}/good`, keyOf("good"), good), true);
    assert.equal(await scans.keepResult(id, "cut", keyOf("cut"), cut), true);
    assert.equal(await scans.keepResult(id, "absent", keyOf("good"), good), false);
    assert.equal(await scans.failFile(id, "bad", "broken \0 name"), true);
    assert.equal(await scans.failFile(id, "absent", "broken"), false);
    assert.equal(await scans.hasResult(keyOf("good")), true);
    assert.equal(await scans.hasResult(keyOf("cut")), false);
    assert.equal(await scans.hasResult({ ...keyOf("good"), skip: ["jit"] }), false);
    const ended = await scans.complete(id, 50, signal);
    assert.deepEqual([ended.status, ended.filesScanned, ended.finishedAt], ["completed", 3, 50]);
    assert.match(
      ended.error ?? "",
      /1 of 4 files could not be scanned: broken \ufffd name; 1 of 4/,
    );
    const report = await reportOf(scans, id);
    assert.equal(report.files_scanned, 3);
    const metadata = report.file_metadata as Record<string, Record<string, unknown>>;
    assert.deepEqual(metadata["d/good"]?.note, good.metadata.note);
    assert.deepEqual(await Array.fromAsync(scans.files(id)), []);
    await scans.remove(id);
    assert.equal(await scans.find(id), undefined);
    assert.equal(await scans.report(id), undefined);
  });

  test("C 15 attempts are counted until one of them ends", async ({ store: { scans } }) => {
    await scanOf(scans, ["a"]);
    const key = keyOf("a");
    assert.deepEqual([await scans.beginAttempt(key, 2), await scans.beginAttempt(key, 2)], [
      "begun",
      "begun",
    ]);
    assert.equal(await scans.beginAttempt(key, 2), "exhausted");
    await scans.withdrawAttempt(key);
    assert.equal(await scans.beginAttempt(key, 2), "begun");
    await scans.endAttempt(key);
    const many = await Promise.all(Array.from({ length: 8 }, () => scans.beginAttempt(key, 3)));
    assert.equal(many.filter((begin) => begin === "begun").length, 3);
  });

  test("C 15 and C 6 results do not outlive content whose hash no record has", async ({ store }) => {
    const { scans } = store;
    const [record] = await seed(store, [{ path: "f", content: "f" }]);
    assert.ok(record);
    const { id } = await scanOf(scans, ["f"]);
    await scans.keepResult(id, "f", keyOf("f"), plainScan(1));
    await scans.failContent({ userId: 1, hash: md5("f"), name: "g" }, "a problem");
    await seed(store, [{ path: "again", content: "f" }]);
    assert.equal(await scans.hasResult(keyOf("f")), true);
    await store.write(async (transaction) => {
      const found = await transaction.findByPath({ userId: 1, everyone: false }, ["f", "again"]);
      await transaction.deleteSubtrees([...found.values()]);
    });
    assert.equal(await scans.hasResult(keyOf("f")), true);
    await seed(store, [{ path: "f", content: "f" }]);
    assert.equal(await scans.hasResult(keyOf("f")), false);
    assert.equal(await scans.keepResult(id, "f", keyOf("f"), plainScan(1)), false);
    assert.deepEqual(await Array.fromAsync(scans.files(id)), []);
    const [verdict] = await store.verdicts.verdictsOf([{ userId: 1, hash: md5("f"), name: "g" }]);
    assert.equal(verdict?.verdict, "unscanned");
    assert.equal(await scans.keepContentResult(keyOf("nobody's"), plainScan(1)), false);
    assert.equal(await scans.failContent(keyOf("nobody's"), "a problem"), false);
  });

  test("C 29 facts stay when a result without any is not kept", async ({ store }) => {
    const { scans, verdicts } = store;
    const key = { ...keyOf("f"), skip: OPTIONAL_SCANNER_IDS.toSorted() };
    await seed(store, [{ path: "f", content: "f" }]);
    const result = { ...plainScan(1), hashes: { sha256: "00".repeat(32) } };
    const facts = { format: "gguf" };
    assert.equal(await scans.keepContentResult(key, { ...result, facts }), true);
    const { id } = await scanOf(scans, ["g"]);
    assert.equal(await scans.keepResult(id, "f", key, result), false);
    assert.deepEqual(await verdicts.factsOf([key]), [{ facts, isRead: true }]);
    // Those of the same content are forgotten with what they came with.
    assert.equal(await scans.keepContentResult(key, result), true);
    assert.deepEqual(await verdicts.factsOf([key]), [{ facts: {}, isRead: true }]);
  });
}
