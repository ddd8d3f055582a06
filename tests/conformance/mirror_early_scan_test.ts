import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { untilAborted } from "../../core/event_loop.ts";
import {
  type ArrivingFile,
  type ArrivingScanner,
  type ContentScanner,
  ScanFailure,
} from "../../core/scans/ports.ts";
import type { FileResult } from "../../core/scanner/mod.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { hubRefused } from "../support/hub.ts";
import { download, mirroring, open } from "../support/mirroring.ts";
import { noise } from "../support/random.ts";
import { ScanRoom } from "../support/scan_room.ts";
import type { TestServerOptions } from "../support/server.ts";
import { until } from "../support/until.ts";

const MIB = 1024 * 1024;
const PATH = "/org/model/resolve/main/w.bin";
/** Smaller files are not scanned before they have come in. */
const CONTENT = noise(17 * MIB);
const [SHA256, MD5] = ["sha256", "md5"].map((it) => createHash(it).update(CONTENT).digest("hex"));

/** A result of the content that finds nothing, unless it is of something else. */
function result(hashes: Partial<FileResult["hashes"]> = {}): FileResult {
  return { ...plainScan(CONTENT.length), hashes: { sha256: SHA256 ?? "", ...hashes } };
}

/** What is found in content that nobody may have. */
const DANGEROUS: FileResult = {
  ...result(),
  scanners: ["pickle"],
  checks: [{
    ...{ scanner: "pickle", name: "Evil", status: "failed", severity: "critical" },
    ...{ message: "evil", location: "", timestamp: 0 },
  }],
};

/** Scanners that a test decides about, and what they were asked for. */
class Scanners {
  readonly arriving: ArrivingFile[] = [];
  /** The MD5s of what was scanned once it was stored. */
  readonly stored: string[] = [];
  /** Why scans of files that came in were ended. */
  readonly aborts: unknown[] = [];

  /** @param early The result of a file that comes in, once it is known. @param late That of what is stored */
  constructor(
    private readonly early: () => Promise<FileResult>,
    private readonly late = result(),
  ) {}

  get options(): TestServerOptions {
    const arriving: ArrivingScanner = {
      scanArriving: (file, { signal }) => {
        this.arriving.push(file);
        signal.addEventListener("abort", () => this.aborts.push(signal.reason));
        return untilAborted(this.early(), signal);
      },
    };
    const contents: ContentScanner = {
      scan: ({ hash }) => {
        this.stored.push(hash);
        return Promise.resolve(this.late);
      },
    };
    return { settings: { gate: "block" }, arriving, contents, upstream: { keepAliveMs: 20 } };
  }
}

Deno.test("C 28 a large file is scanned while it comes in, and released by the result", async () => {
  const early = Promise.withResolvers<FileResult>();
  const scanners = new Scanners(() => early.promise);
  await using parts = await mirroring(scanners.options);
  const { double, hub, server } = parts;
  double.add("org/model", { "w.bin": { content: CONTENT } });
  double.fault = ({ range }) => range === null ? { stallAt: 2 * MIB } : undefined;
  const response = await open(hub, PATH);
  await until(() => scanners.arriving.length > 0);
  const [file] = scanners.arriving;
  assert.equal(file?.name, "w.bin");
  assert.equal(file.size, CONTENT.length);
  // It has what has come in.
  await until(async () => (await Deno.stat(file.path)).size === 2 * MIB);
  double.resume();
  const reader = response.body?.getReader();
  let bytes = 0;
  while (bytes < 16 * MIB + 3) bytes += (await reader?.read())?.value?.length ?? 0;
  assert.ok(bytes < 16 * MIB + 1000, String(bytes));
  early.resolve(result());
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    bytes += part.value.length;
  }
  assert.equal(bytes, CONTENT.length);
  assert.deepEqual((await download(hub, PATH)).bytes, CONTENT);
  assert.deepEqual(scanners.stored, []);
  assert.equal(scanners.arriving.length, 1);
  await until(async () => (await server.temporaryFiles()).length === 0);
});

Deno.test("C 28 what is found in a file while it comes in has it broken off, and refused", async () => {
  const scanners = new Scanners(() => Promise.resolve(DANGEROUS));
  await using parts = await mirroring(scanners.options);
  const { double, hub } = parts;
  double.add("org/model", { "w.bin": { content: CONTENT } });
  await assert.rejects(download(hub, PATH));
  hubRefused(await hub.send("GET", PATH), 403, "GatedRepo");
  assert.deepEqual(scanners.stored, []);
});

for (
  const [what, early] of [
    ["that fails", () => Promise.reject(new ScanFailure("killed"))],
    ["of other content", () => Promise.resolve(result({ sha256: "0".repeat(64) }))],
  ] as const
) {
  Deno.test(`C 28 an early scan ${what} counts for nothing: the file is scanned as others are`, async () => {
    const scanners = new Scanners(early, DANGEROUS);
    await using parts = await mirroring(scanners.options);
    const { double, hub } = parts;
    double.add("org/model", { "w.bin": { content: CONTENT } });
    await assert.rejects(download(hub, PATH));
    hubRefused(await hub.send("GET", PATH), 403, "GatedRepo");
    assert.deepEqual(scanners.stored, [MD5]);
    assert.equal(scanners.arriving.length, 1);
  });
}

Deno.test("C 28 a fetch that fails ends the scan of what has come in", async () => {
  const scanners = new Scanners(() => new Promise(() => {}));
  await using parts = await mirroring(scanners.options);
  const { double, hub, server } = parts;
  double.add("org/model", { "w.bin": { content: CONTENT } });
  double.fault = ({ host, range }) => {
    if (host === "hub") return undefined;
    return range === null ? { cutAt: 2 * MIB } : { status: 404 };
  };
  await assert.rejects(download(hub, PATH));
  await until(() => scanners.aborts.length > 0);
  assert.equal(scanners.arriving.length, 1);
  await until(async () => (await server.temporaryFiles()).length === 0);
});

Deno.test("C 15 a file that comes in is scanned when the host has room for it", async () => {
  const room = new ScanRoom();
  const scanners = new Scanners(() => Promise.resolve(result()));
  await using parts = await mirroring({ ...scanners.options, host: room.host });
  const { double, hub } = parts;
  double.add("org/model", { "w.bin": { content: CONTENT } });
  double.fault = ({ range }) => range === null ? { stallAt: 2 * MIB } : undefined;
  const reading = await open(hub, PATH);
  const reader = reading.body?.getReader();
  assert.ok((await reader?.read())?.value !== undefined);
  assert.deepEqual(scanners.arriving, []);
  room.isOpen = true;
  await until(() => scanners.arriving.length > 0);
  double.resume();
  while ((await reader?.read())?.done === false);
  assert.deepEqual(scanners.stored, []);
});

Deno.test("C 28 nothing is scanned early that is small, or where the gate refuses nothing", async () => {
  for (const [gate, size] of [["block", 16 * MIB], ["mark", 17 * MIB]] as const) {
    const content = CONTENT.subarray(0, size);
    const md5 = createHash("md5").update(content).digest("hex");
    const sha256 = createHash("sha256").update(content).digest("hex");
    const late = { ...plainScan(size), hashes: { md5, sha256 } };
    const scanners = new Scanners(() => Promise.resolve(late), late);
    const { settings, ...options } = scanners.options;
    await using parts = await mirroring({ ...options, settings: { ...settings, gate } });
    const { double, hub } = parts;
    double.add("org/model", { "w.bin": { content } });
    assert.deepEqual((await download(hub, PATH)).bytes, content);
    assert.deepEqual(scanners.arriving, [], gate);
    await until(() => scanners.stored.length > 0);
  }
});
