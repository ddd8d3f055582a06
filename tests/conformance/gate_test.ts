import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readTunables } from "../../core/capacity/mod.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { SCANNERS_VERSION } from "../../core/scanner/mod.ts";
import { ScanFailure } from "../../core/scans/ports.ts";
import type { Settings } from "../../schemas/settings.ts";
import { BlobReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { type Client, dataOf, refused, type Reply } from "../support/client.ts";
import { ENDLESS } from "../support/endless_scanner.ts";
import { modelFile } from "../support/models.ts";
import { TestServer, type TestServerOptions, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { until } from "../support/until.ts";
import { settledVerdicts, statOf, verdictsOf } from "../support/verdicts.ts";

const CLEAN = await modelFile("pickle/plain_3.pkl");
const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");
const SUSPICIOUS = await modelFile("pickle/unlisted_call.pkl");
const INCONCLUSIVE = await modelFile("pickle/truncated.pkl");

/** A server that blocks, and other options. */
function gated(settings: Partial<Settings> = {}, options: TestServerOptions = {}) {
  return TestServer.start({ ...options, settings: { gate: "block", ...settings } });
}

/** The reply to a download, as text. */
async function downloaded(
  client: Client,
  path: string,
  init: { headers?: HeadersInit; method?: string } = {},
): Promise<Reply> {
  return await client.send(init.method ?? "GET", "/resources/download", {
    query: { path },
    headers: init.headers ?? {},
  });
}

async function refusedDownload(client: Client, path: string): Promise<string> {
  return refused(await downloaded(client, path), 403, "ErrResourcesQuarantined");
}

Deno.test("C 18 files that arrive are scanned and have a verdict", async () => {
  await using server = await gated({ gate: "mark" });
  const one = await server.as(1);
  await one.upload("models", {
    "clean.pkl": CLEAN,
    "dangerous.pkl": DANGEROUS,
    "suspicious.pkl": SUSPICIOUS,
    "truncated.pkl": INCONCLUSIVE,
  });
  assert.deepEqual(await settledVerdicts(one, "models"), [
    "models/clean.pkl clean",
    "models/dangerous.pkl dangerous",
    "models/suspicious.pkl suspicious",
    "models/truncated.pkl inconclusive",
  ]);
  const found = (await verdictsOf(one, "models")).get("models/dangerous.pkl");
  assert.equal(found?.scanner_version, SCANNERS_VERSION);
  assert.ok(found.findings.length >= 1 && found.findings.length <= 3);
  assert.equal(found.findings[0]?.severity, "critical");
  assert.match(found.findings[0]?.rule_code ?? "", /^S\d+$/);
  assert.match(found.findings[0]?.message ?? "", /eval/);
  assert.ok(Date.parse(found.scanned_at ?? "") > Date.now() - 60_000);
  // Marked only.
  assert.deepEqual(await one.bytes({ path: "models/dangerous.pkl" }), DANGEROUS);
});

Deno.test("C 18 with the gate off, verdicts are those of requested scans", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
  await one.upload("", { "a.pkl": DANGEROUS, "b.pkl": DANGEROUS });
  await one.json("POST", "/scans/?wait=60", { path: "a.pkl", scanners: ["pickle"] });
  assert.equal((await statOf(one, "a.pkl")).verdict?.verdict, "unscanned");
  await one.json("POST", "/scans/?wait=60", { path: "a.pkl" });
  assert.equal((await statOf(one, "a.pkl")).verdict?.verdict, "dangerous");
  assert.equal((await statOf(one, "b.pkl")).verdict?.verdict, "unscanned");
  assert.equal((await downloaded(one, "a.pkl")).status, 200);
});

Deno.test("C 17 stat shows what is known of the content", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("d", { "hello.txt": "hello" });
  await t.step("C 17 of a file", async () => {
    const { id, created_at, updated_at, verdict, ...found } = await statOf(one, "d/hello.txt");
    assert.deepEqual(found, {
      user_id: 1,
      name: "hello.txt",
      path: "d/hello.txt",
      size: 5,
      is_dir: false,
      md5: "5d41402abc4b2a76b9719d911017c592",
      sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      crc32: "3610a686",
      etag: '"5d41402abc4b2a76b9719d911017c592"',
    });
    assert.equal(verdict?.verdict, "unscanned");
    const byId = dataOf(await one.send("GET", `/resources/stat?id=${id}`));
    assert.deepEqual(byId, { id, created_at, updated_at, verdict, ...found });
  });
  await t.step("C 17 of a directory", async () => {
    const { md5, verdict, is_dir } = await statOf(one, "d");
    assert.deepEqual([md5, verdict, is_dir], [null, null, true]);
  });
  await t.step("C 2 refuses none, several, foreign and missing ones", async () => {
    const stat = (query: string) => one.send("GET", `/resources/stat${query}`);
    refused(await stat(""), 400, "ErrResourcesInvalidRequest");
    refused(await stat("?path=d&path=d/hello.txt"), 400, "ErrResourcesInvalidRequest");
    refused(await stat("?path=missing"), 404, "ErrResourcesNotFound");
    refused(await stat("?path="), 400, "ErrResourcesInvalidRequest");
    refused(await stat("?path=%20"), 400, "ErrResourcesInvalidRequest");
    const two = await server.as(2);
    const foreign = await two.send("GET", "/resources/stat?path=d");
    refused(foreign, 404, "ErrResourcesNotFound");
  });
});

Deno.test("C 18 the gate lets only accepted files be downloaded", async (t) => {
  await using server = await gated();
  const one = await server.as(1);
  await one.upload("m", { "clean.pkl": CLEAN, "evil.pkl": DANGEROUS });
  await one.upload("m/d", { "odd.pkl": SUSPICIOUS, "cut.pkl": INCONCLUSIVE });
  await settledVerdicts(one);

  await t.step("C 18 one file", async () => {
    assert.deepEqual(await one.bytes({ path: "m/clean.pkl" }), CLEAN);
    const reply = await downloaded(one, "m/evil.pkl");
    const message = refused(reply, 403, "ErrResourcesQuarantined");
    assert.match(message, /"m\/evil\.pkl" \(dangerous, S\d+/);
    assert.equal(reply.headers.get("Retry-After"), null);
    assert.match(await refusedDownload(one, "m/d/odd.pkl"), /suspicious/);
    assert.match(await refusedDownload(one, "m/d/cut.pkl"), /inconclusive/);
  });
  await t.step("C 18 HEAD, ranges and conditional requests", async () => {
    const { etag } = await statOf(one, "m/evil.pkl");
    const head = await downloaded(one, "m/evil.pkl", { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("ETag")], [403, null]);
    const requests: Record<string, string>[] = [
      { Range: "bytes=0-3" },
      { Range: "bytes=999-" },
      { "If-None-Match": etag ?? "" },
      { "If-None-Match": "*" },
      { "If-Modified-Since": new Date(Date.now() + 60_000).toUTCString() },
      { "If-Range": etag ?? "", Range: "bytes=0-3" },
    ];
    for (const headers of requests) {
      const reply = await downloaded(one, "m/evil.pkl", { headers });
      refused(reply, 403, "ErrResourcesQuarantined");
    }
    const allowed = await downloaded(one, "m/clean.pkl", { headers: { Range: "bytes=0-3" } });
    assert.equal(allowed.status, 206);
  });
  await t.step("C 18 a ZIP of mixed files names the first three that are refused", async () => {
    const message = await refusedDownload(one, "m");
    assert.match(message, /"m\/d\/cut\.pkl".*"m\/d\/odd\.pkl".*"m\/evil\.pkl"/);
    const several = await one.send("GET", "/resources/download", {
      query: { "paths[]": ["m/clean.pkl", "m/evil.pkl"] },
    });
    const other = refused(several, 403, "ErrResourcesQuarantined");
    assert.match(other, /evil/);
    assert.doesNotMatch(other, /clean/);
  });
  await t.step("C 18 an administrator", async () => {
    await refusedDownload(await server.admin(), "m/evil.pkl");
  });
  await t.step("C 18 a kept connection", async () => {
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 1 });
    try {
      for (const [path, status] of [["clean", 200], ["evil", 403], ["clean", 200]] as const) {
        const response = await fetch(`${server.url}/resources/download?path=m/${path}.pkl`, {
          client,
          headers: { Authorization: `Bearer ${one.token}` },
        });
        await response.arrayBuffer();
        assert.equal(response.status, status);
      }
    } finally {
      client.close();
    }
  });
  await t.step("C 18 moves and copies keep the verdict; a new name has none", async () => {
    await one.copy({ source: "m/evil.pkl", destination: "copies/" });
    await one.move({ source: "m/clean.pkl", destination: "moved/" });
    assert.match(await refusedDownload(one, "copies/evil.pkl"), /dangerous/);
    assert.deepEqual(await one.bytes({ path: "moved/clean.pkl" }), CLEAN);
    await one.move({ source: "moved/clean.pkl", destination: "moved/clean.joblib" });
    const reply = await downloaded(one, "moved/clean.joblib");
    if (reply.status === 403) {
      assert.match(refused(reply, 403, "ErrResourcesQuarantined"), /pending/);
      assert.match(reply.headers.get("Retry-After") ?? "", /^\d+$/);
    }
    await settledVerdicts(one, "moved");
    assert.deepEqual(await one.bytes({ path: "moved/clean.joblib" }), CLEAN);
  });
  await t.step("C 18 content that replaces another one", async () => {
    await one.upload("r", { "clean.pkl": DANGEROUS });
    await settledVerdicts(one, "r");
    await one.move({ source: "r/clean.pkl", destination: "moved/clean.joblib", force: true });
    await refusedDownload(one, "moved/clean.joblib");
  });
  await t.step("C 22 refusals are in the audit log", async () => {
    const text = await Deno.readTextFile(`${server.dataDir}/audit.log`);
    const lines = text.split("\n").filter((it) => it !== "").map((it) => JSON.parse(it));
    const [first] = lines.filter(({ outcome }) => outcome === "ErrResourcesQuarantined");
    assert.deepEqual([first.user, first.action, first.paths], [
      1,
      "resources.download",
      ["m/evil.pkl"],
    ]);
    assert.match(first.reason, /dangerous, S\d+/);
  });
});

Deno.test("C 18 the gate accepts the verdicts of its setting", async () => {
  await using server = await gated({ gateAccept: ["clean", "suspicious"] });
  const one = await server.as(1);
  await one.upload("m", { "clean.pkl": CLEAN, "odd.pkl": SUSPICIOUS });
  await settledVerdicts(one);
  const bytes = await one.bytes({ path: "m" });
  const reader = new ZipReader(new BlobReader(new Blob([bytes])));
  const entries = await reader.getEntries();
  assert.deepEqual(entries.map(({ filename }) => filename), ["clean.pkl", "odd.pkl"]);
  const [, odd] = entries;
  assert.ok(odd !== undefined && !odd.directory);
  assert.deepEqual(await odd.getData(new Uint8ArrayWriter()), SUSPICIOUS);
  await reader.close();
});

Deno.test("C 18 the gate fails closed", async (t) => {
  await t.step("C 18 while a file has never been scanned", async () => {
    await using server = await gated({}, { contents: ENDLESS });
    const one = await server.as(1);
    await one.upload("d", { "a.pkl": CLEAN });
    const reply = await downloaded(one, "d/a.pkl");
    const message = refused(reply, 403, "ErrResourcesQuarantined");
    assert.equal(message, 'Cannot download: in quarantine: "d/a.pkl" (pending)');
    assert.match(reply.headers.get("Retry-After") ?? "", /^\d+$/);
    const zip = await downloaded(one, "d");
    refused(zip, 403, "ErrResourcesQuarantined");
    assert.match(zip.headers.get("Retry-After") ?? "", /^\d+$/);
  });
  await t.step("C 18 where a scanner cannot run", async () => {
    await using server = await gated({}, {
      contents: { scan: () => Promise.reject(new ScanFailure("The scanner cannot run")) },
    });
    const one = await server.as(1);
    await one.upload("", { "a.pkl": CLEAN });
    assert.deepEqual(await settledVerdicts(one), ["a.pkl failed"]);
    assert.equal((await statOf(one, "a.pkl")).verdict?.problem, "The scanner cannot run");
    const reply = await downloaded(one, "a.pkl");
    refused(reply, 403, "ErrResourcesQuarantined");
    assert.equal(reply.headers.get("Retry-After"), null);
  });
  await t.step(
    "C 18 for other versions of the scanners and their settings, until a scan",
    async () => {
      await using directory = await TempDir.make();
      const dataDir = directory.path;
      let token = "";
      {
        await using server = await gated({}, { dataDir });
        const one = await server.as(1);
        token = one.token;
        await one.upload("", { "a.pkl": CLEAN });
        await settledVerdicts(one);
        assert.equal((await downloaded(one, "a.pkl")).status, 200);
      }
      for (const change of [{ resultsVersion: "4" }, { settings: { scanMaxOpcodes: 77_777 } }]) {
        // Without room for a scan, the start has no results.
        await using server = await gated(change.settings, {
          dataDir,
          ...change,
          host: new ScanRoom().host,
        });
        const one = await server.as(1);
        const reply = await downloaded(one, "a.pkl");
        assert.match(refused(reply, 403, "ErrResourcesQuarantined"), /pending/);
      }
      await using server = await gated({}, { dataDir, resultsVersion: "5" });
      const one = await server.as(1);
      assert.notEqual(token, "");
      assert.deepEqual(await settledVerdicts(one), ["a.pkl clean"]);
      assert.deepEqual(await one.bytes({ path: "a.pkl" }), CLEAN);
    },
  );
});

Deno.test("C 18 a search finds what is unscanned after a restart, and what did not fit the queue", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  {
    await using server = await TestServer.start({ dataDir });
    const one = await server.as(1);
    await one.upload("old", { "a.pkl": DANGEROUS, "b.txt": "text" });
  }
  const scanned: string[] = [];
  {
    await using server = await gated({}, { dataDir, host: new ScanRoom().host });
    const one = await server.as(1);
    const names = Array.from({ length: 600 }, (_, index) => [`${index}.txt`, `${index}`]);
    await one.upload("many", Object.fromEntries(names));
    await one.copy({ source: "many", destination: "more" });
    await one.move({ source: "many/7.txt", destination: "more/seven.txt" });
    await one.copy({ source: "many/8.txt", destination: "more/eight.txt" });
    await refusedDownload(one, "old/a.pkl");
  }
  await using server = await gated({}, {
    dataDir,
    contents: {
      scan({ name }) {
        scanned.push(name);
        return Promise.reject(new ScanFailure(`No scan of ${name}`));
      },
    },
  });
  const one = await server.as(1);
  await until(() => scanned.length >= 604);
  assert.deepEqual(new Set(scanned).size, 604);
  assert.ok((await settledVerdicts(one)).every((it) => it.endsWith("failed")));
});

Deno.test("C 18 verdicts are published to the owners of the files", async () => {
  await using server = await gated();
  const one = await server.as(1);
  const two = await server.as(2);
  await using events = await one.events();
  await using others = await two.events();
  await one.upload("", { "a.pkl": DANGEROUS });
  const next = async (reader: typeof events) => {
    for (;;) {
      const block = await reader.next();
      if (block?.event === "resource.verdict") return JSON.parse(block.data ?? "");
    }
  };
  const { id } = await statOf(one, "a.pkl");
  assert.deepEqual(await next(events), { id, path: "a.pkl", verdict: "dangerous" });
  // The same content of another user has a verdict of its own.
  await two.upload("d", { "a.pkl": DANGEROUS });
  const { verdict, path } = await next(others);
  assert.deepEqual([verdict, path], ["dangerous", "d/a.pkl"]);
});

Deno.test("C 18 requested scans go before those of files that arrive", async () => {
  const scanned: string[] = [];
  const blocked = Promise.withResolvers<void>();
  const stats = {
    CPUCores: 2,
    LoadAvg1m: 0,
    MemTotalMB: 100_000,
    MemAvailableMB: 50_000,
    // Nothing may start.
    DiskFreeMB: 1,
  };
  const variables = new Map([["STRONGROOM_MAX_INSTANCES", "1"]]);
  await using server = await gated({}, {
    host: { stats: () => stats, ...readTunables((variable) => variables.get(variable), stats) },
    contents: {
      async scan({ hash, name }) {
        scanned.push(name);
        if (name === "first") await blocked.promise;
        const sha256 = createHash("sha256").update(name).digest("hex");
        return { ...plainScan(1, hash), hashes: { md5: hash, sha256 } };
      },
    },
  });
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
  await one.upload("", { arrived: "arrived", first: "first", second: "second" });
  await one.json("POST", "/scans/", { path: "first" });
  await one.json("POST", "/scans/", { path: "second" });
  stats.DiskFreeMB = 100_000;
  await until(() => scanned.length === 1);
  blocked.resolve();
  await until(() => scanned.includes("arrived"));
  assert.deepEqual(scanned, ["first", "second", "arrived"]);
});

Deno.test("C 18 with the gate off nothing is scanned by itself, and no verdict is published", async () => {
  const scanned: string[] = [];
  await using server = await TestServer.start({
    contents: {
      scan({ name, hash }) {
        scanned.push(name);
        return Promise.resolve(plainScan(1, hash));
      },
    },
  });
  const one = await server.as(1, ...USER_PRIVILEGES, "scans.run", "scans.view");
  await using events = await one.events();
  await one.upload("", { a: "a", b: "b" });
  await one.json("POST", "/scans/?wait=60", { path: "b" });
  assert.deepEqual(scanned, ["b"]);
  const seen: (string | undefined)[] = [];
  while (seen.at(-1) !== "scan.finished") seen.push((await events.next())?.event);
  assert.deepEqual(seen.filter((it) => it?.startsWith("resource.")), [
    "resource.added",
    "resource.added",
  ]);
});
