import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { compressedScanner } from "../../../../../core/scanner/formats/compressed/scanner.ts";
import { unsupportedArchiveScanner } from "../../../../../core/scanner/formats/unsupported_archive/scanner.ts";
import { PAYLOAD, scanArchive, scanned } from "../archive/archive_scan.ts";
import { seeded } from "../../mutation.ts";
import { LIMITS } from "../../recording_context.ts";

const PAYLOAD_TEXT = "cos\ngetpid\n)R.";
const SKIPPED = Buffer.from("502a4d1803000000616263", "hex");
const BOMB = new Uint8Array(4 << 20);

Deno.test("evasion 51: what is compressed is looked into, whatever its name", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["gzip", gzipSync(PAYLOAD)],
    [
      "gzip in two parts",
      Buffer.concat([gzipSync(PAYLOAD.subarray(0, 5)), gzipSync(PAYLOAD.subarray(5))]),
    ],
    ["zlib", deflateSync(PAYLOAD)],
    ["zlib, fast", deflateSync(PAYLOAD, { level: 1 })],
    ["zstd", zstdCompressSync(PAYLOAD)],
    ["zstd behind a frame that is skipped", Buffer.concat([SKIPPED, zstdCompressSync(PAYLOAD)])],
    [
      "zstd in two parts",
      Buffer.concat([
        zstdCompressSync(PAYLOAD.subarray(0, 5)),
        SKIPPED,
        zstdCompressSync(PAYLOAD.subarray(5)),
      ]),
    ],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      const scan = scanned(compressedScanner, content, { name: "model.pkl" });
      assert.deepEqual(scan.checks.map(({ status }) => status), ["passed", "passed"]);
      assert.deepEqual([...scan.texts], [["model.pkl", PAYLOAD_TEXT]]);
    });
  }
});

Deno.test("C 16: what is compressed and damaged is looked into as far as it goes, and is not clean", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["gzip cut off", gzipSync(PAYLOAD).subarray(0, -3)],
    ["gzip with a wrong sum", withWrongSum(gzipSync(PAYLOAD))],
    ["gzip with strange bytes behind", Buffer.concat([gzipSync(PAYLOAD), PAYLOAD])],
    ["zlib cut off", deflateSync(PAYLOAD).subarray(0, -3)],
    [
      "zstd cut off",
      Buffer.concat([zstdCompressSync(PAYLOAD), zstdCompressSync(PAYLOAD).subarray(0, -4)]),
    ],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      const scan = scanned(compressedScanner, content, { name: "model.pkl.gz" });
      assert.deepEqual(scan.findings, ["info S902 Compressed Content"]);
      assert.deepEqual(scan.reasons, ["corrupt_stream"]);
      assert.ok(scan.texts.get("model.pkl")?.startsWith(PAYLOAD_TEXT));
    });
  }
});

Deno.test("scanning 2.7: a compressed bomb is told, and its beginning is looked into", async (t) => {
  const limits = { ...LIMITS, maxMemberBytes: 2 << 20, maxUnpackedBytes: 4 << 20 };
  for (const compress of [gzipSync, deflateSync, zstdCompressSync]) {
    await t.step(compress.name, () => {
      const scan = scanned(compressedScanner, compress(BOMB), { limits });
      const [offer] = scan.offers;
      assert.ok(scan.findings.includes("info S410 Compressed Content"));
      assert.ok(scan.findings.includes("warning S410 Compression Ratio"), scan.findings.join());
      assert.deepEqual(scan.reasons, ["unpacked_limit"]);
      assert.ok(offer && offer.content.length <= 2 << 20);
    });
  }
  await t.step("that is unpacked whole", () => {
    const scan = scanned(compressedScanner, gzipSync(BOMB));
    assert.deepEqual(scan.findings, ["warning S410 Compression Ratio"]);
    assert.equal(scan.offers[0]?.content.length, BOMB.length);
  });
});

Deno.test("C 16: what is not unpacked is recognised, and is not clean", async (t) => {
  const rows: [string, string][] = [
    ["bzip2", "425a6839314159265359aabbccdd"],
    ["bzip2", "425a683917724538509000000000"],
    ["xz", "fd377a585a000004e6d6b446"],
    ["lzma", "5d00008000ffffffffffffffff0000"],
    ["lz4", "04224d186040825a00"],
  ];
  for (const [format, head] of rows) {
    await t.step(format, () => {
      const scan = scanned(compressedScanner, Buffer.from(head, "hex"));
      assert.deepEqual(scan.reasons, ["unsupported_compression"]);
      assert.equal(scan.facts.compression, format);
    });
  }
});

Deno.test("evasion 45: archives of other formats are recognised, and are not clean", async (t) => {
  for (
    const [format, head] of [["7z", "377abcaf271c0004"], ["RAR", "526172211a0700cf"], [
      "RAR",
      "526172211a070100",
    ]]
  ) {
    await t.step(`${format}`, () => {
      const scan = scanned(unsupportedArchiveScanner, Buffer.from(head ?? "", "hex"), {
        name: "model.pt",
      });
      assert.deepEqual(scan.findings, ["info - Archive Format"]);
      assert.deepEqual(scan.reasons, ["unsupported_archive"]);
      assert.equal(scan.facts.archive_format, format);
    });
  }
});

Deno.test("scanning 2.7: content that is not compressed is not claimed", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["one byte", Buffer.of(0x1f)],
    [
      "weights that begin as zlib does",
      Buffer.concat([Buffer.of(0x78, 0x9c), Buffer.alloc(4096, 0x3f)]),
    ],
    ["text", Buffer.from("x^ and so on, and so on")],
    ["a frame of Zstandard that is skipped, alone", SKIPPED],
    ["BZh in text", Buffer.from("BZh9 is a signature")],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      assert.equal(scanArchive(compressedScanner, content), undefined);
      assert.equal(scanArchive(unsupportedArchiveScanner, content), undefined);
    });
  }
});

Deno.test("C 15: no bytes make a scan of compressed content throw", () => {
  const samples = [
    gzipSync(PAYLOAD),
    deflateSync(PAYLOAD),
    zstdCompressSync(PAYLOAD),
    gzipSync(BOMB),
  ];
  const limits = { ...LIMITS, maxMemberBytes: 1 << 16, maxUnpackedBytes: 1 << 18 };
  const random = seeded(3);
  let claimed = 0;
  for (let round = 0; round < 3000; round++) {
    const copy = Buffer.from(samples[round % samples.length] ?? "");
    for (let count = random(3); count >= 0; count--) copy[random(copy.length)] = random(256);
    const content = round % 4 ? copy : copy.subarray(0, random(copy.length));
    const scan = scanArchive(compressedScanner, content, { limits });
    const unpacked = scan?.offers[0]?.content.length ?? 0;
    assert.ok(unpacked <= limits.maxMemberBytes);
    if (scan) claimed++;
  }
  assert.ok(claimed > 1500, `${claimed} are claimed`);
});

function withWrongSum(content: Buffer): Buffer {
  content.writeUInt32LE(0xdecea5ed, content.length - 8);
  return content;
}
