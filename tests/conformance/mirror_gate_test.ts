import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { untilAborted } from "../../core/event_loop.ts";
import type { ContentScanner } from "../../core/scans/ports.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { auditOf } from "../support/audit.ts";
import { hubRefused } from "../support/hub.ts";
import { download, mirroring, open } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { noise } from "../support/random.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const CLEAN = await modelFile("pickle/plain_3.pkl");
const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");

/** A scanner that finds nothing in some contents, once it may end. */
function waitingScanner(...known: readonly Uint8Array[]) {
  const byHash = new Map(known.map((content) => {
    const [md5, sha256] = ["md5", "sha256"].map((it) =>
      createHash(it).update(content).digest("hex")
    );
    return [md5, { size: content.length, sha256 }];
  }));
  const ended = Promise.withResolvers<void>();
  const contents: ContentScanner = {
    async scan({ hash }, { signal }) {
      await untilAborted(ended.promise, signal);
      const { size = 0, sha256 = "" } = byHash.get(hash) ?? {};
      return { ...plainScan(size, hash), hashes: { md5: hash, sha256 } };
    },
  };
  return { contents, end: ended.resolve };
}

/** A file that begins with content, and has some size. */
function padded(content: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  bytes.set(content);
  return bytes;
}

Deno.test("C 28 no client gets the last part of a file before its verdict is accepted", async () => {
  const content = noise(3 * MIB);
  const { contents, end } = waitingScanner(content);
  await using parts = await mirroring({
    ...{ settings: { gate: "block" }, contents, upstream: { keepAliveMs: 20 } },
  });
  const { double, hub } = parts;
  double.add("org/model", { "w.bin": { content } });
  const response = await open(hub, "/org/model/resolve/main/w.bin");
  const reader = response.body?.getReader();
  let bytes = 0;
  // All but the last part, and then a few bytes one by one.
  while (bytes < 2 * MIB + 5) {
    const part = await reader?.read();
    assert.ok(part?.value !== undefined);
    bytes += part.value.length;
  }
  assert.ok(bytes < 2 * MIB + 1000, String(bytes));
  // Nobody gets the last part by asking for it.
  const last = await open(hub, "/org/model/resolve/main/w.bin", { Range: `bytes=${2 * MIB}-` });
  assert.equal(last.status, 429);
  assert.ok(Number(last.headers.get("Retry-After")) > 0);
  await last.body?.cancel();
  end();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.length;
  }
  assert.equal(bytes, content.length);
  assert.deepEqual((await download(hub, "/org/model/resolve/main/w.bin")).bytes, content);
});

Deno.test("C 28 a file that waits for its scan counts once, and makes no room for others", async () => {
  const [a, b, c] = [noise(3 * MIB, 1), noise(2 * MIB, 2), noise(2 * MIB, 3)];
  const { contents, end } = waitingScanner(a, b, c);
  await using parts = await mirroring({
    ...{ settings: { gate: "block", mirrorMaxBytes: 6 * MIB, metrics: "open" }, contents },
    upstream: { keepAliveMs: 20 },
  });
  const { double, hub, server } = parts;
  double.add("org/model", { a: { content: a }, b: { content: b }, c: { content: c } });
  const read = (path: string) => download(hub, `/org/model/resolve/main/${path}`);
  const readers = [];
  for (const path of ["a", "b"]) {
    readers.push(read(path));
    await until(async () => {
      const metrics = await (await fetch(`${server.origin}/metrics`)).text();
      return metrics.includes(`fetched_files_total ${readers.length}\n`);
    });
  }
  assert.equal((await read("c")).response.status, 400);
  end();
  const [first, second] = await Promise.all(readers);
  assert.deepEqual(first?.bytes, a);
  assert.deepEqual(second?.bytes, b);
  await until(async () => (await read("c")).response.status === 200);
});

Deno.test("C 28 what is fetched and scanned within seconds is asked for again, or served at once", async () => {
  await using parts = await mirroring({ settings: { gate: "block" } });
  const { double, hub } = parts;
  double.add("org/model", { "clean.pkl": { content: CLEAN }, "bad.pkl": { content: DANGEROUS } });
  await until(async () => {
    const { response, bytes } = await download(hub, "/org/model/resolve/main/clean.pkl");
    if (response.status === 429) return false;
    assert.equal(response.status, 200);
    assert.deepEqual(bytes, CLEAN);
    return true;
  });
  await until(async () => {
    const reply = await hub.send("GET", "/org/model/resolve/main/bad.pkl");
    if (reply.status === 429) return false;
    const message = hubRefused(reply, 403, "GatedRepo");
    assert.match(message, /"bad\.pkl" \(dangerous, S\d+/);
    return true;
  });
  // It is known by now, and said before any content is asked for.
  assert.equal((await hub.send("HEAD", "/org/model/resolve/main/bad.pkl")).status, 403);
});

Deno.test("C 28 a refused file is broken off, and then refused with its reason", async () => {
  await using parts = await mirroring({ settings: { gate: "block" } });
  const { double, hub } = parts;
  const content = padded(DANGEROUS, 4 * MIB);
  const commit = double.add("org/model", { "bad.pkl": { content } });
  const head = await hub.send("HEAD", `/org/model/resolve/main/bad.pkl`);
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("X-Linked-Size"), String(content.length));
  await assert.rejects(download(hub, "/org/model/resolve/main/bad.pkl"));
  hubRefused(await hub.send("GET", `/org/model/resolve/${commit}/bad.pkl`), 403, "GatedRepo");
  const resumed = await open(hub, "/org/model/resolve/main/bad.pkl", { Range: `bytes=${MIB}-` });
  assert.equal(resumed.status, 403);
  await resumed.body?.cancel();
});

Deno.test("C 28 a waiver lets a refused file through", async () => {
  await using parts = await mirroring({ settings: { gate: "block" } });
  const { double, hub, server } = parts;
  const content = padded(DANGEROUS, 2 * MIB);
  double.add("org/model", { "bad.pkl": { content } });
  await assert.rejects(download(hub, "/org/model/resolve/main/bad.pkl"));
  const tree = await hub.send("GET", "/api/models/org/model/tree/main");
  assert.match(tree.text, /"status":"unsafe"/);
  const [, sha256] = /"lfs":\{"oid":"([0-9a-f]{64})"/.exec(tree.text) ?? [];
  const admin = await server.admin();
  await admin.json("POST", "/waivers/", { sha256, reason: "known" });
  const admissions = async () =>
    (await auditOf(server)).filter(({ action }) => action === "mirror.admit").map(({ user }) =>
      user
    );
  assert.deepEqual(await admissions(), []);
  for (const _time of [1, 2]) {
    assert.deepEqual((await download(hub, "/org/model/resolve/main/bad.pkl")).bytes, content);
    assert.deepEqual(await admissions(), [1]);
  }
});
