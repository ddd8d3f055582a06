import * as assert from "node:assert/strict";
import { plainScan } from "../../core/scanner/plain_scan.ts";
import * as v from "valibot";
import { untilAborted } from "../../../core/event_loop.ts";
import { ScanFailure } from "../../../core/scans/ports.ts";
import { Report } from "../../../schemas/report/report.ts";
import { ScanEntry, ScanList } from "../../../schemas/scans.ts";
import { type Client, refused, type Reply } from "../../support/client.ts";
import { ROOT } from "../../support/child_server.ts";
import { reportFaults } from "../../conformance/report_rules.ts";
import { ScanRoom } from "../../support/scan_room.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { openSqlite } from "../../support/test_database.ts";
import { TestServer } from "../../support/server.ts";
import { until } from "../../support/until.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { MD5_COLLISION } from "../../support/md5_collision.ts";

const SCANNER = [
  "scans.view",
  "scans.run",
  "resources.upload",
  "resources.delete",
  "resources.view",
  "resources.download",
];

/** The scan in a reply. Checks status and schema. */
function scanOf(reply: Reply, status = 200): ScanEntry {
  assert.equal(reply.status, status, reply.text);
  return v.parse(
    v.object({ status: v.literal("success"), data: ScanEntry }),
    JSON.parse(reply.text),
  )
    .data;
}

async function scan(client: Client, body: unknown, wait = 60): Promise<ScanEntry> {
  return scanOf(await client.json("POST", `/scans/?wait=${wait}`, body), 202);
}

async function reportOf(client: Client, id: number): Promise<Report> {
  const reply = await client.send("GET", `/scans/${id}/report`);
  assert.equal(reply.status, 200, reply.text);
  const document: unknown = JSON.parse(reply.text);
  assert.deepEqual(reportFaults(document), []);
  return v.parse(Report, document);
}

Deno.test("C 15 scans over HTTP", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1, ...SCANNER);
  await one.upload("models/a", { "readme.txt": "some text", "model.bin": "\x00\x01" });
  await one.upload("models", { "copy.bin": "\x00\x01" });

  await t.step("C 15 scans a whole directory, and the report conforms to SR", async () => {
    const done = await scan(one, { path: "models" });
    assert.deepEqual([done.status, done.paths, done.error], ["completed", ["models"], null]);
    assert.deepEqual([done.files_total, done.files_scanned], [3, 3]);
    assert.deepEqual([done.bytes_total, done.bytes_scanned], [13, 13]);
    assert.ok(done.started_at !== null && done.finished_at !== null);
    const report = await reportOf(one, done.id);
    assert.equal(report.files_scanned, 3);
    assert.deepEqual(Object.keys(report.file_metadata).sort(), [
      "models/a/model.bin",
      "models/a/readme.txt",
      "models/copy.bin",
    ]);
    assert.equal(report.scanner_selection, null);
    const { file_hashes } = report.file_metadata["models/a/readme.txt"] ?? {};
    assert.equal(file_hashes?.md5, "552e21cd4cd9918678e3c1a0df491bc3");
    assert.deepEqual(scanOf(await one.send("GET", `/scans/${done.id}`)), done);
  });
  await t.step("C 15 accepts one or several paths and ids", async () => {
    const { items } = JSON.parse((await one.list({ recursive: "true" })).text).data;
    const idOf = (path: string) => items.find((it: { path: string }) => it.path === path).id;
    const done = await scan(one, {
      id: idOf("models/copy.bin"),
      ids: [idOf("models/a")],
      path: "models/a/readme.txt",
      paths: ["models/copy.bin"],
    });
    assert.deepEqual([done.files_total, done.files_scanned], [3, 3]);
    assert.deepEqual(done.paths.toSorted(), [
      "models/a",
      "models/a/readme.txt",
      "models/copy.bin",
    ]);
  });
  await t.step("C 15 lists the scans of the caller, newest first", async () => {
    const first = await scan(one, { path: "models/a" });
    const second = await scan(one, { path: "models/a" });
    const list = async (client: Client, query = "") => {
      const reply = await client.send("GET", `/scans/${query}`);
      return v.parse(ScanList, JSON.parse(reply.text).data);
    };
    const ids = (await list(one)).items.map(({ id }) => id);
    assert.deepEqual(ids.slice(0, 2), [second.id, first.id]);
    assert.deepEqual(ids, ids.toSorted((a, b) => b - a));
    const page = await list(one, `?limit=1&before=${second.id}`);
    assert.deepEqual(page.items.map(({ id }) => id), [first.id]);
    assert.equal((await list(await server.as(2, ...SCANNER))).total, 0);
  });
  await t.step("C 22 lists the first paths of a scan, and counts all", async () => {
    const dir = Array.from({ length: 15 }, () => "d".repeat(250)).join("/");
    const names = Array.from({ length: 10 }, (_, index) => `f${index}`);
    await one.upload(dir, Object.fromEntries(names.map((name) => [name, ""])));
    const paths = names.map((name) => `${dir}/${name}`);
    const done = await scan(one, { paths });
    assert.deepEqual(done.paths, paths);
    const { id } = done;
    assert.deepEqual(scanOf(await one.send("GET", `/scans/${id}`)), done);
    const { text } = await one.send("GET", "/scans/?limit=1");
    const [listed] = v.parse(ScanList, JSON.parse(text).data).items;
    assert.deepEqual(listed, { ...done, paths: paths.slice(0, 4), paths_total: 10 });
    assert.deepEqual(scanOf(await one.send("DELETE", `/scans/${id}`)), done);
  });
  await t.step("C 2 refuses invalid requests", async () => {
    const bad: [unknown, number, string][] = [
      [{}, 400, "ErrResourcesInvalidRequest"],
      [{ path: "../x" }, 400, "ErrResourcesInvalidRequest"],
      [{ path: 7 }, 400, "ErrResourcesInvalidRequest"],
      [{ id: 0 }, 400, "ErrResourcesInvalidRequest"],
      [{ path: "models", scanners: ["nonsense"] }, 400, "ErrResourcesInvalidRequest"],
      [{ path: "models", scanners: [] }, 400, "ErrResourcesInvalidRequest"],
      [{ path: "missing" }, 404, "ErrResourcesNotFound"],
      [{ id: 99_999 }, 404, "ErrResourcesNotFound"],
    ];
    for (const [body, status, kind] of bad) {
      refused(await one.json("POST", "/scans/", body), status, kind);
    }
    for (const wait of ["61", "-1", "x", "1.5"]) {
      const reply = await one.json("POST", `/scans/?wait=${wait}`, { path: "models" });
      refused(reply, 400, "ErrResourcesInvalidRequest");
    }
    refused(await one.send("GET", "/scans/?limit=0"), 400, "ErrResourcesInvalidRequest");
    refused(await one.send("GET", "/scans/x"), 400, "ErrResourcesInvalidRequest");
    for (const id of ["0", "18446744073709551616", "99999999999999999999"]) {
      refused(await one.send("GET", `/scans/${id}`), 400, "ErrResourcesInvalidRequest");
    }
    refused(await one.send("GET", "/scans/99999"), 404, "ErrScansNotFound");
    refused(await one.send("GET", "/scans/99999/report"), 404, "ErrScansNotFound");
    refused(await one.send("DELETE", "/scans/18446744073709551615"), 404, "ErrScansNotFound");
  });
  await t.step("C 15 checks privileges, and hides the scans of other users", async () => {
    const { id } = await scan(one, { path: "models/a" });
    const viewer = await server.as(1, "scans.view");
    refused(await viewer.json("POST", "/scans/", { path: "models" }), 403, "ErrNotPermitted");
    refused(await viewer.send("DELETE", `/scans/${id}`), 403, "ErrNotPermitted");
    assert.equal(scanOf(await viewer.send("GET", `/scans/${id}`)).id, id);
    const runner = await server.as(1, "scans.run", "resources.download");
    refused(await runner.send("GET", `/scans/${id}`), 403, "ErrNotPermitted");
    const reader = await server.as(1, "scans.run", "scans.view", "resources.view");
    for (
      const reply of [
        await reader.json("POST", "/scans/", { path: "models" }),
        await reader.send("DELETE", `/scans/${id}`),
      ]
    ) {
      assert.match(refused(reply, 403, "ErrNotPermitted"), /resources\.download/);
    }
    const other = await server.as(2, ...SCANNER);
    for (const path of [`/scans/${id}`, `/scans/${id}/report`]) {
      refused(await other.send("GET", path), 404, "ErrScansNotFound");
    }
    refused(await other.send("DELETE", `/scans/${id}`), 404, "ErrScansNotFound");
    refused(await other.json("POST", "/scans/", { path: "models" }), 404, "ErrResourcesNotFound");
    assert.equal((await scan(await server.admin(), { path: "models" })).files_total, 3);
    assert.equal(scanOf(await (await server.admin()).send("GET", `/scans/${id}`)).id, id);
  });
  await t.step("C 15 DELETE removes a finished scan with its report", async () => {
    const { id } = await scan(one, { path: "models/a" });
    assert.equal(scanOf(await one.send("DELETE", `/scans/${id}`)).id, id);
    refused(await one.send("GET", `/scans/${id}`), 404, "ErrScansNotFound");
    refused(await one.send("GET", `/scans/${id}/report`), 404, "ErrScansNotFound");
  });
  await t.step("an empty directory gives a report of no files", async () => {
    await (await server.as(1)).mkdir("empty");
    const done = await scan(one, { path: "empty" });
    assert.deepEqual([done.status, done.files_total], ["completed", 0]);
    assert.equal((await reportOf(one, done.id)).files_scanned, 0);
  });
  await t.step(
    "C 15 content that was removed before its scan is an error in the report",
    async () => {
      await one.upload("gone", { "f.bin": "soon gone" });
      const { records, blobs } = server.tree;
      const removed = (await records.findByPath({ userId: 1, everyone: false }, [
        "gone/f.bin",
      ])).get("gone/f.bin");
      assert.ok(removed);
      await records.write((transaction) => blobs.remove([removed.hash], transaction));
      const done = await scan(one, { path: "gone" });
      assert.deepEqual([done.status, done.files_scanned], ["failed", 0]);
      assert.equal(
        done.error,
        "1 of 1 files could not be scanned: Content could not be read",
      );
      const report = await reportOf(one, done.id);
      assert.deepEqual([report.has_errors, report.success], [true, false]);
      assert.match(
        JSON.stringify(report.checks),
        /Could not be scanned: Content could not be read/,
      );
      assert.doesNotMatch(JSON.stringify(report), new RegExp(server.dataDir));
    },
  );
});

Deno.test("C 15 the queue", async (t) => {
  const gates: PromiseWithResolvers<void>[] = [];
  await using server = await TestServer.start({
    maxQueuedScans: 2,
    contents: {
      async scan(_, { signal, onProgress }) {
        const gate = Promise.withResolvers<void>();
        onProgress?.(1);
        gates.push(gate);
        await untilAborted(gate.promise, signal);
        throw new ScanFailure("Scanner of the test failed");
      },
    },
  });
  const one = await server.as(1, ...SCANNER);
  const statusOf = async (id: number) => scanOf(await one.send("GET", `/scans/${id}`)).status;
  await one.upload("", { a: "a", b: "b", c: "c" });

  await t.step("C 15 replies at once without wait, and runs what the host allows", async () => {
    const first = await scan(one, { path: "a" }, 0);
    assert.ok(["queued", "running"].includes(first.status));
    await until(() => gates.length === 1);
    const running = scanOf(await one.send("GET", `/scans/${first.id}`));
    assert.deepEqual([running.status, running.files_scanned, running.bytes_scanned], [
      "running",
      0,
      1,
    ]);
    const overview = JSON.parse((await (await server.admin()).send("GET", "/capacity/")).text).data;
    assert.equal(overview.instances.running, 1);
    assert.deepEqual(overview.leases.active.map((it: { tool_name: string }) => it.tool_name), [
      "scan",
    ]);
    refused(await one.send("GET", `/scans/${first.id}/report`), 409, "ErrScansConflict");
    gates.shift()?.resolve();
    await until(async () => await statusOf(first.id) === "failed");
    const report = await reportOf(one, first.id);
    assert.match(JSON.stringify(report.checks), /Scanner of the test failed/);
    assert.equal(report.has_errors, true);
  });
  await t.step("C 15 DELETE cancels a running scan, and its lease is released", async () => {
    const { id } = await scan(one, { path: "b" }, 0);
    await until(() => gates.length === 1);
    assert.equal(scanOf(await one.send("DELETE", `/scans/${id}`)).status, "cancelled");
    gates.length = 0;
    assert.equal(await statusOf(id), "cancelled");
    const overview = JSON.parse((await (await server.admin()).send("GET", "/capacity/")).text).data;
    assert.deepEqual([overview.instances.running, overview.leases.active_total], [0, 0]);
  });
});

/** An idle host with as many megabytes of available memory as `available` returns. */
function hostWith(available: () => number) {
  return {
    stats: () => ({
      CPUCores: 2,
      LoadAvg1m: 0,
      MemTotalMB: 100_000,
      MemAvailableMB: available(),
      DiskFreeMB: 100_000,
    }),
  };
}

Deno.test("C 15 scans wait if the host has no capacity, and are refused if the queue is full", async () => {
  let available = 0;
  await using server = await TestServer.start({
    maxQueuedScans: 2,
    host: hostWith(() => available),
  });
  const one = await server.as(1, ...SCANNER);
  await one.upload("", { a: "a" });
  await using events = await (await server.as(1, "resources.view")).events();
  const first = await scan(one, { path: "a" }, 0);
  const second = await scan(one, { path: "a" }, 0);
  assert.deepEqual([first.status, second.status], ["queued", "queued"]);
  const full = await one.json("POST", "/scans/", { path: "a" });
  refused(full, 429, "ErrScansQueueFull");
  assert.match(full.headers.get("Retry-After") ?? "", /^\d+$/);
  refused(await one.json("POST", "/scans/", { path: "a" }), 429, "ErrScansQueueFull");
  // A queued scan is canceled without having run.
  assert.equal(scanOf(await one.send("DELETE", `/scans/${first.id}`)).status, "cancelled");
  available = 90_000;
  await until(async () =>
    scanOf(await one.send("GET", `/scans/${second.id}`)).status === "completed"
  );
  const received: string[] = [];
  while (received.at(-1) !== `scan.finished ${second.id}`) {
    const { event, data = "" } = await events.next() ?? {};
    assert.ok(event !== undefined, "the stream ended");
    if (event.startsWith("scan.")) received.push(`${event} ${JSON.parse(data).id}`);
  }
  assert.deepEqual(received.filter((it) => !it.startsWith("scan.progress")), [
    `scan.queued ${first.id}`,
    `scan.queued ${second.id}`,
    `scan.finished ${first.id}`,
    `scan.started ${second.id}`,
    `scan.finished ${second.id}`,
  ]);
});

Deno.test("SR 2.10 a scan analyzes weights if its request asks for it", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1, ...SCANNER);
  const model = await Deno.readFile(
    `${ROOT}tests/fixtures/models/safetensors/perceptron.safetensors`,
  );
  await one.upload("", { "m.safetensors": model });
  const contextOf = async (weights?: boolean) => {
    const { id } = await scan(one, { path: "m.safetensors", weights });
    const report = await reportOf(one, id);
    assert.equal(report.scanner_selection, null);
    return report.file_metadata["m.safetensors"]?.ml_context;
  };
  assert.equal((await contextOf())?.weight_analysis ?? null, null);
  assert.equal((await contextOf(true))?.weight_analysis?.appears_to_be_weights, true);
  assert.equal((await contextOf(false))?.weight_analysis ?? null, null);
});

Deno.test("C 15 concurrent requests do not exceed the limit of the queue", async () => {
  await using server = await TestServer.start({
    maxQueuedScans: 3,
    host: {
      stats: () => ({
        CPUCores: 2,
        LoadAvg1m: 0,
        MemTotalMB: 100_000,
        MemAvailableMB: 0,
        DiskFreeMB: 100_000,
      }),
    },
  });
  const one = await server.as(1, ...SCANNER);
  await one.upload("", { a: "a" });
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => one.json("POST", "/scans/", { path: "a" })),
  );
  assert.equal(replies.filter(({ status }) => status === 202).length, 3);
  assert.equal(replies.filter(({ status }) => status === 429).length, 9);
});

Deno.test("C 15 results are stored and reused", async (t) => {
  const scanned: string[] = [];
  let gate: PromiseWithResolvers<void> | undefined;
  await using server = await TestServer.start({
    // It would keep content that other content of the same MD5 is to replace.
    settings: { history: 0 },
    contents: {
      async scan({ hash, name }) {
        scanned.push(name);
        const number = scanned.length;
        await gate?.promise;
        return { ...plainScan(128, hash), asset: { type: `${hash} ${number}` } };
      },
    },
  });
  const one = await server.as(1, ...SCANNER);
  const kindOf = async (path: string, scanners?: string[]) => {
    const { id } = await scan(one, { path, scanners });
    return (await reportOf(one, id)).assets[0]?.type.split(" ")[1];
  };
  const [genuine, forged] = MD5_COLLISION;
  await one.upload("", { a: genuine });
  await one.upload("d", { a: genuine, b: genuine });

  await t.step("C 15 for equal hash and name", async () => {
    assert.deepEqual([await kindOf("a"), await kindOf("a"), await kindOf("d/a")], ["1", "1", "1"]);
    assert.equal(await kindOf("d/b"), "2");
  });
  await t.step("C 15 not for another selection of scanners", async () => {
    assert.deepEqual([await kindOf("a", ["zip"]), await kindOf("a", ["zip"])], ["3", "3"]);
  });
  await t.step("C 15 not for another version of the scanners", async () => {
    await using database = openSqlite(`${server.dataDir}/strongroom.db`);
    await database.run("UPDATE scan_results SET version = 'older'");
    assert.equal(await kindOf("a"), "4");
  });
  await t.step("C 6 and C 15 not for other content with the same hash", async () => {
    await one.remove({ "paths[]": ["a", "d"] });
    await server.tree.sweeper.finish();
    await one.upload("", { a: forged });
    assert.equal(await kindOf("a"), "5");
  });
  await t.step("C 6 and C 15 not if such content arrives during the scan", async () => {
    gate = Promise.withResolvers();
    const { id } = await scan(one, { path: "a", scanners: ["tar"] }, 0);
    await until(() => scanned.length === 6);
    await one.remove({ path: "a" });
    await server.tree.sweeper.finish();
    await one.upload("", { a: genuine });
    gate.resolve();
    await until(async () => scanOf(await one.send("GET", `/scans/${id}`)).status === "failed");
    const { has_errors, checks } = await reportOf(one, id);
    assert.equal(has_errors, true);
    assert.match(JSON.stringify(checks), /Removed during the scan/);
    assert.equal(await kindOf("a", ["tar"]), "7");
  });
});

Deno.test("C 15 scans of equal content at the same time share one run", async (t) => {
  const started: string[] = [];
  let gate = Promise.withResolvers<void>();
  const room = new ScanRoom();
  room.isOpen = true;
  await using server = await TestServer.start({
    host: room.host,
    contents: {
      async scan({ hash, name }, { signal }) {
        started.push(name);
        await untilAborted(gate.promise, signal);
        if (name.startsWith("broken")) throw new ScanFailure("It is broken");
        return {
          ...plainScan(1, hash),
          ...name.startsWith("limit") && { operationalError: "a limit" },
        };
      },
    },
  });
  const one = await server.as(1, ...SCANNER);
  const two = one;
  await one.upload("", { a: "a", b: "b", c: "c", broken: "d", limit: "e" });
  const ended = async (client: Client, id: number) => {
    await until(async () =>
      !["queued", "running"].includes(scanOf(await client.send("GET", `/scans/${id}`)).status)
    );
    return scanOf(await client.send("GET", `/scans/${id}`));
  };
  const start = async (path: string) => {
    started.length = 0;
    gate = Promise.withResolvers();
    const first = await scan(one, { path }, 0);
    await until(() => started.length === 1);
    // Files are scanned in order: once the next one has started, the scan waits for its partner.
    const next = `${path}, then this`;
    await two.upload("", { [next]: next });
    const second = await scan(two, { paths: [path, next] }, 0);
    await until(() => started.includes(next));
    started.splice(started.indexOf(next), 1);
    return { first, second };
  };
  for (
    const [path, status, error] of [
      ["a", "completed", null],
      ["broken", "failed", /It is broken/],
      ["limit", "completed", /a limit/],
    ] as const
  ) {
    await t.step(`C 15 ${path}: and its outcome`, async () => {
      const { first, second } = await start(path);
      gate.resolve();
      for (const done of [await ended(one, first.id), await ended(two, second.id)]) {
        assert.equal(done.status, status);
        if (error === null) assert.equal(done.error, null);
        else assert.match(done.error ?? "", error);
      }
      assert.deepEqual(started, [path]);
    });
  }
  await t.step("C 15 a scan whose partner is canceled scans the content itself", async () => {
    const { first, second } = await start("b");
    assert.equal(scanOf(await one.send("DELETE", `/scans/${first.id}`)).status, "cancelled");
    await until(() => started.length === 2);
    gate.resolve();
    const { status, files_scanned } = await ended(two, second.id);
    assert.deepEqual([status, files_scanned], ["completed", 2]);
  });
  await t.step("C 15 a canceled scan leaves the run of its partner alone", async () => {
    const { first, second } = await start("c");
    assert.equal(scanOf(await two.send("DELETE", `/scans/${second.id}`)).status, "cancelled");
    gate.resolve();
    assert.equal((await ended(one, first.id)).status, "completed");
    assert.deepEqual(started, ["c"]);
  });
});

Deno.test("C 16 a report that reuses results has the times of its own scan", async () => {
  const earlier = 1_000_000;
  let scanned = 0;
  await using server = await TestServer.start({
    contents: {
      scan: ({ hash }) => {
        scanned++;
        const { checks, ...result } = plainScan(1, hash);
        return Promise.resolve({
          ...result,
          timestamp: earlier,
          checks: [{
            scanner: "file",
            name: "Known Format",
            status: "failed",
            severity: "info",
            message: "It is unknown",
            location: "",
            timestamp: earlier + 1,
          }, ...checks],
        });
      },
    },
  });
  const one = await server.as(1, ...SCANNER);
  await one.upload("", { a: "a" });
  for (let times = 0; times < 2; times++) {
    const { id } = await scan(one, { path: "a" });
    const report = await reportOf(one, id);
    const { start_time: start, duration } = report;
    const times = [
      ...report.checks.map(({ timestamp }) => timestamp),
      ...report.issues.map(({ timestamp }) => timestamp),
      report.file_metadata["a"]?.scan_timestamp,
    ];
    assert.ok(times.length >= 3);
    for (const time of times) {
      assert.ok(time !== undefined && time >= start && time <= start + duration, `${time}`);
    }
  }
  assert.equal(scanned, 1);
});

Deno.test("C 15 reports a result with an error, and does not reuse it", async () => {
  let scanned = 0;
  await using server = await TestServer.start({
    contents: {
      scan: ({ hash }) =>
        Promise.resolve({ ...plainScan(1, hash), operationalError: `limit ${++scanned}` }),
    },
  });
  const one = await server.as(1, ...SCANNER);
  await one.upload("", { a: "a" });
  for (const expected of [1, 2]) {
    const { id } = await scan(one, { path: "a" });
    assert.equal((await reportOf(one, id)).has_errors, true);
    assert.equal(scanned, expected);
  }
});

Deno.test("C 15 a start removes scans that ended more than 30 days ago", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const ids: number[] = [];
  {
    await using server = await TestServer.start({ dataDir });
    const one = await server.as(1, ...SCANNER);
    await one.upload("", { a: "a" });
    for (let count = 0; count < 2; count++) ids.push((await scan(one, { path: "a" })).id);
  }
  {
    using database = new Connection(`${dataDir}/strongroom.db`, { readOnly: false });
    const before = (days: number) => Date.now() - days * 86_400_000;
    database.run("UPDATE scans SET finished_at = :at WHERE id = :id", {
      id: ids[0] ?? 0,
      at: before(31),
    });
    database.run("UPDATE scans SET finished_at = :at WHERE id = :id", {
      id: ids[1] ?? 0,
      at: before(29),
    });
    // Two readings of the clock have confirmed today.
    database.run("UPDATE storage_state SET clock_read_at = :at, clock_settled_at = :at", {
      at: before(0),
    });
  }
  await using server = await TestServer.start({ dataDir });
  const one = await server.as(1, ...SCANNER);
  await until(async () => (await one.send("GET", `/scans/${ids[0]}`)).status === 404);
  assert.equal(scanOf(await one.send("GET", `/scans/${ids[1]}`)).id, ids[1]);
});

Deno.test("C 15 users take turns in the queue, and each has a share of it", async () => {
  let available = 0;
  await using server = await TestServer.start({
    maxQueuedScans: 3,
    host: hostWith(() => available),
  });
  const [one, two] = [await server.as(1, ...SCANNER), await server.as(2, ...SCANNER)];
  for (const client of [one, two]) await client.upload("", { a: "a" });
  await using events = await (await server.admin()).events({ scope: "all" });
  const [first, second, third] = [
    await scan(one, { path: "a" }, 0),
    await scan(one, { path: "a" }, 0),
    await scan(one, { path: "a" }, 0),
  ];
  refused(await one.json("POST", "/scans/", { path: "a" }), 429, "ErrScansQueueFull");
  const other = await scan(two, { path: "a" }, 0);
  refused(await one.json("POST", "/scans/", { path: "a" }), 429, "ErrScansQueueFull");
  available = 90_000;
  const started: number[] = [];
  while (started.length < 4) {
    const { event, data = "" } = await events.next() ?? {};
    assert.ok(event !== undefined, "the stream ended");
    if (event === "scan.started") started.push(JSON.parse(data).id);
  }
  assert.deepEqual(started, [first.id, other.id, second.id, third.id]);
});
