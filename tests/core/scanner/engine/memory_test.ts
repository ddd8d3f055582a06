import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { SCAN_LIMITS } from "../../../../core/scanner/contract/limits.ts";
import { scanFile } from "../../../../core/scanner/engine/scan.ts";
import { SCANNERS } from "../../../../core/scanner/formats/mod.ts";
import type { ScanLimits } from "../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { zipOf } from "../formats/zip/zip_builder.ts";

function scan(name: string, content: Uint8Array, limits: ScanLimits = SCAN_LIMITS) {
  return scanFile({ source: memorySource(content), name, scanners: SCANNERS, limits });
}

Deno.test("C 15 the result of an archive does not grow with the length of its names", async (t) => {
  const name = "n".repeat(60_000);
  const zip = zipOf(Array.from({ length: 20 }, (_, i) => ({ name: `${i}${name}`, data: "x" })));
  await t.step("of ZIP", () => {
    const found = scan("model.zip", zip);
    assert.ok(JSON.stringify(found).length < 200_000);
    assert.equal(found.asset.contents?.length, 20);
    assert.equal(found.metadata.member_file_hashes_total, 20);
    assert.ok(found.checks.some(({ message }) => message.endsWith("has an unsafe name: too long")));
  });
  await t.step("of TAR", () => {
    const found = scan("model.tar", tarOf(name));
    assert.ok(JSON.stringify(found).length < 50_000);
    assert.equal(found.asset.contents?.length, 1);
    assert.ok(found.checks.some(({ message }) => message.endsWith("has an unsafe name: too long")));
  });
  await t.step("but keeps names of the maximum length in file systems", () => {
    const found = scan("model.zip", zipOf([{ name: "n".repeat(255), data: "x" }]));
    assert.equal(found.asset.contents?.[0]?.name, "n".repeat(255));
    assert.ok(!found.checks.some(({ message }) => message.includes("too long")));
  });
});

Deno.test("C 15 nested containers in memory have a common limit", async (t) => {
  const limits = { ...SCAN_LIMITS, maxMemberBytes: 1000 };
  const wrapped = (content: Uint8Array, times: number): Uint8Array =>
    times === 0 ? content : gzipSync(wrapped(content, times - 1), { level: 0 });
  await t.step("two may have the maximum size each", () => {
    assert.deepEqual(scan("x.gz", wrapped(new Uint8Array(900), 2), limits).inconclusive, []);
  });
  await t.step("a third may take what they leave", () => {
    const found = scan("x.gz", wrapped(new Uint8Array(900), 3), limits);
    assert.deepEqual(found.inconclusive, ["unpacked_limit"]);
    assert.notEqual(found.operationalError, undefined);
  });
  await t.step("siblings may have the maximum size each", () => {
    const member = gzipSync(new Uint8Array(900), { level: 0 });
    const zip = zipOf(["a.gz", "b.gz", "c.gz", "d.gz"].map((name) => ({ name, data: member })));
    assert.deepEqual(scan("x.zip", zip, limits).inconclusive, []);
  });
});

/** A TAR archive of one file with a GNU long name. */
function tarOf(longName: string): Uint8Array {
  const name = Buffer.from(longName);
  return Buffer.concat([
    header("././@LongLink", "L", name.length),
    name,
    Buffer.alloc(-name.length & 511),
    header("short", "0", 3),
    Buffer.from("abc".padEnd(512, "\0")),
    Buffer.alloc(1024),
  ]);
}

function header(name: string, type: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write(size.toString(8).padStart(11, "0"), 124);
  block.fill(" ", 148, 156);
  block.write(type, 156);
  block.write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
