import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { compressedScanner } from "../../../../../core/scanner/formats/compressed/scanner.ts";
import { GETPID_PICKLE, scanArchive, scanMatching } from "../archive/archive_scan.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { scan } from "../format_scan.ts";
import { CHUNKS } from "./chunks.ts";
import { mutated, seeded } from "../../mutation.ts";
import { LIMITS } from "../../recording_context.ts";
import { wholeScan } from "../../whole_scan.ts";

const PAYLOAD_TEXT = "cos\ngetpid\n)R.";
/** `cos\ngetpid\n)R.` in LZMA with `lc` 0, `lp` 2 and `pb` 0, by Python's lzma. */
const LZMA = "EgAAAQD//////////wAxnKm9PG9Sl3L43vfY7DYPrN1///FvAAA=";
const SKIPPABLE_FRAME = Buffer.from("502a4d1803000000616263", "hex");
const BOMB = new Uint8Array(4 << 20);

Deno.test("evasion 51: scans compressed content regardless of its name", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["gzip", gzipSync(GETPID_PICKLE)],
    [
      "gzip in two parts",
      Buffer.concat([gzipSync(GETPID_PICKLE.subarray(0, 5)), gzipSync(GETPID_PICKLE.subarray(5))]),
    ],
    ["zlib", deflateSync(GETPID_PICKLE)],
    ["zlib, fast", deflateSync(GETPID_PICKLE, { level: 1 })],
    ["zstd", zstdCompressSync(GETPID_PICKLE)],
    [
      "zstd after a skippable frame",
      Buffer.concat([SKIPPABLE_FRAME, zstdCompressSync(GETPID_PICKLE)]),
    ],
    [
      "zstd in two parts",
      Buffer.concat([
        zstdCompressSync(GETPID_PICKLE.subarray(0, 5)),
        SKIPPABLE_FRAME,
        zstdCompressSync(GETPID_PICKLE.subarray(5)),
      ]),
    ],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(compressedScanner, content, { name: "model.pkl" });
      assert.deepEqual(scan.checks.map(({ status }) => status), ["passed", "passed"]);
      assert.deepEqual([...scan.texts], [["model.pkl", PAYLOAD_TEXT]]);
    });
  }
});

Deno.test("C 16: damaged content is scanned as far as possible and is not clean", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["truncated gzip", gzipSync(GETPID_PICKLE).subarray(0, -3)],
    ["gzip with a wrong checksum", withWrongChecksum(gzipSync(GETPID_PICKLE))],
    ["gzip with trailing data", Buffer.concat([gzipSync(GETPID_PICKLE), GETPID_PICKLE])],
    ["truncated zlib", deflateSync(GETPID_PICKLE).subarray(0, -3)],
    [
      "truncated zstd",
      Buffer.concat([
        zstdCompressSync(GETPID_PICKLE),
        zstdCompressSync(GETPID_PICKLE).subarray(0, -4),
      ]),
    ],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => {
      const scan = scanMatching(compressedScanner, content, { name: "model.pkl.gz" });
      assert.deepEqual(scan.findings, ["info S902 Compressed Content"]);
      assert.deepEqual(scan.reasons, ["corrupt_stream"]);
      assert.ok(scan.texts.get("model.pkl")?.startsWith(PAYLOAD_TEXT));
    });
  }
});

Deno.test("scanning 2.7: reports a compression bomb and scans its start", async (t) => {
  const limits = { ...LIMITS, maxMemberBytes: 2 << 20, maxUnpackedBytes: 4 << 20 };
  for (const compress of [gzipSync, deflateSync, zstdCompressSync]) {
    await t.step(compress.name, () => {
      const scan = scanMatching(compressedScanner, compress(BOMB), { limits });
      const [member] = scan.submitted;
      assert.ok(scan.findings.includes("info S410 Compressed Content"));
      assert.ok(scan.findings.includes("warning S410 Compression Ratio"), scan.findings.join());
      assert.deepEqual(scan.reasons, ["unpacked_limit"]);
      assert.ok(member && member.content.length <= 2 << 20);
    });
  }
  await t.step("a bomb within the limits", () => {
    const bomb = new Uint8Array(32 << 20);
    const scan = scanMatching(compressedScanner, gzipSync(bomb));
    assert.deepEqual(scan.findings, ["warning S410 Compression Ratio"]);
    assert.equal(scan.submitted[0]?.content.length, bomb.length);
  });
  await t.step("but not zeros that take little memory", () => {
    assert.deepEqual(scanMatching(compressedScanner, gzipSync(BOMB)).findings, []);
  });
});

/** A file below `tests/fixtures/models/archive/`. */
const fixture = (path: string) =>
  Deno.readFileSync(new URL(`../../../../fixtures/models/archive/${path}`, import.meta.url));

const FORMATS = [["bz2", "bzip2"], ["xz", "xz"], ["lzma", "lzma"], ["lz4", "lz4"]] as const;

Deno.test("evasion 85: bzip2, xz, lzma and lz4 are unpacked", async (t) => {
  for (const [extension, format] of FORMATS) {
    const packed = fixture(`hostile/payload.pkl.${extension}`);
    const name = "model.pkl";
    await t.step(format, () => {
      const scan = scanMatching(compressedScanner, packed, { name: `model.pkl.${extension}` });
      assert.deepEqual(scan.findings, []);
      assert.deepEqual(scan.submitted.map(({ name }) => name), [name]);
      const [member] = scan.submitted;
      assert.ok(Buffer.from(member?.content ?? []).includes("echo strongroom fixture"));
      assert.equal(scan.facts.compression, format);
    });
    await t.step(`${format}, and bytes after it`, () => {
      const scan = scanMatching(compressedScanner, Buffer.concat([packed, GETPID_PICKLE]));
      const rest = scan.submitted.find(({ name }) => name.startsWith("(bytes"));
      assert.deepEqual(Buffer.from(rest?.content ?? []), Buffer.from(GETPID_PICKLE));
    });
    await t.step(`${format}, cut off`, () => {
      const whole = fixture(`plain.pkl.${extension}`);
      const scan = scanMatching(compressedScanner, whole.subarray(0, whole.length - 20));
      assert.deepEqual(scan.reasons, ["corrupt_stream"]);
    });
    await t.step(`${format}, beyond the limit`, () => {
      const limits = { ...LIMITS, maxMemberBytes: 100 };
      const scan = scanMatching(compressedScanner, fixture(`plain.pkl.${extension}`), { limits });
      assert.deepEqual(scan.reasons, ["unpacked_limit"]);
      assert.ok((scan.submitted[0]?.content.length ?? 0) <= 100);
    });
  }
});

Deno.test("evasion 94: an LZ4 file may begin with frames that decoders skip", () => {
  const packed = Buffer.concat([
    SKIPPABLE_FRAME,
    SKIPPABLE_FRAME,
    fixture("hostile/payload.pkl.lz4"),
  ]);
  const { verdict, result } = wholeScan("model.bin", packed);
  assert.deepEqual([verdict, result.scanners[0]], ["dangerous", "compressed"]);
});

Deno.test("evasion 94: a pickle in a format without a signature is found under any name", async (t) => {
  const long = Buffer.from(`${"I1\n0".repeat(30_000)}${PAYLOAD_TEXT}`);
  const stored = { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } };
  const contents: readonly (readonly [string, Uint8Array])[] = [
    ["small", brotliCompressSync(GETPID_PICKLE)],
    ["small, in DEFLATE", deflateRawSync(GETPID_PICKLE)],
    ["long, in DEFLATE", deflateRawSync(long)],
    ["in LZMA with other parameters", Uint8Array.fromBase64(LZMA)],
    ["stored", brotliCompressSync(GETPID_PICKLE, stored)],
    ["long", brotliCompressSync(long)],
    ["many words", brotliCompressSync(Buffer.concat([words(), GETPID_PICKLE]))],
  ];
  for (const [title, content] of contents) {
    await t.step(title, () => {
      for (const name of ["model.pkl.br", "model.bin", "model.sav", "weights"]) {
        assert.equal(wholeScan(name, content).verdict, "dangerous", name);
      }
    });
  }
  await t.step("what is damaged under the name of Brotli is inconclusive", () => {
    assert.equal(wholeScan("model.br", new Uint8Array(500).fill(0xff)).verdict, "inconclusive");
  });
  await t.step("random content is not taken for it", () => {
    const random = seeded(11);
    for (let round = 0; round < 500; round++) {
      const content = Uint8Array.from({ length: 600 }, () => random(256));
      const found = compressedScanner.matches({
        source: memorySource(content),
        name: "a.bin",
        depth: 0,
      });
      assert.equal(found && !isSigned(content), false, content.toHex());
    }
  });
});

Deno.test("evasion 94: pickles in the chunks of zarr are found, whatever compressed them", async (t) => {
  for (const [codec, base64] of CHUNKS) {
    await t.step(codec, () => {
      for (const name of ["0.0", "model.bin"]) {
        const { verdict, result } = wholeScan(name, Uint8Array.fromBase64(base64));
        assert.deepEqual([verdict, result.scanners[0]], ["dangerous", "compressed"]);
      }
    });
  }
  await t.step("what is damaged is inconclusive", () => {
    const [, base64 = ""] = CHUNKS[0] ?? [];
    const chunk = Uint8Array.fromBase64(base64);
    chunk.fill(0xff, 24, 60);
    assert.equal(wholeScan("0.0", chunk).verdict, "inconclusive");
  });
  await t.step("numbers are of no known format", () => {
    const numbers = new Uint8Array(new Float32Array(500).map((_, index) => Math.sin(index)).buffer);
    for (const content of [gzipSync(numbers), zstdCompressSync(numbers)]) {
      assert.equal(wholeScan("0.0", content).verdict, "unknown");
    }
  });
});

/** A pickle of many strings, which unpack to more than the head that detection reads. */
function words(): Uint8Array {
  const lines = Array.from({ length: 40_000 }, (_, index) => `Vword ${index * 7919}\n0`);
  return Buffer.from(`${lines.join("")}N.`);
}

/** Whether content has the two bytes of zlib, which random bytes often have. */
function isSigned([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

Deno.test("scanning 2.7: does not match content that is not compressed", async (t) => {
  const rows: [string, Uint8Array][] = [
    ["nothing", new Uint8Array()],
    ["one byte", Buffer.of(0x1f)],
    [
      "weights that start like zlib",
      Buffer.concat([Buffer.of(0x78, 0x9c), Buffer.alloc(4096, 0x3f)]),
    ],
    ["text", Buffer.from("x^ and so on, and so on")],
    ["a skippable Zstandard frame alone", SKIPPABLE_FRAME],
    ["BZh in text", Buffer.from("BZh9 is a signature")],
  ];
  for (const [title, content] of rows) {
    await t.step(title, () => assert.equal(scanArchive(compressedScanner, content), undefined));
  }
});

Deno.test("C 15: no input makes a scan of compressed content throw", () => {
  const samples = [
    gzipSync(GETPID_PICKLE),
    deflateSync(GETPID_PICKLE),
    zstdCompressSync(GETPID_PICKLE),
    gzipSync(BOMB),
    ...CHUNKS.map(([, base64]) => Uint8Array.fromBase64(base64)),
  ];
  const limits = { ...LIMITS, maxMemberBytes: 1 << 16, maxUnpackedBytes: 1 << 18 };
  const random = seeded(3);
  let matched = 0;
  for (let round = 0; round < 3000; round++) {
    const copy = Buffer.from(samples[round % samples.length] ?? "");
    for (let count = random(3); count >= 0; count--) copy[random(copy.length)] = random(256);
    const content = round % 4 ? copy : copy.subarray(0, random(copy.length));
    const scan = scanArchive(compressedScanner, content, { limits });
    const unpacked = scan?.submitted[0]?.content.length ?? 0;
    assert.ok(unpacked <= limits.maxMemberBytes);
    if (scan) matched++;
  }
  assert.ok(matched > 1500, `${matched} match`);
});

function withWrongChecksum(content: Buffer): Buffer {
  content.writeUInt32LE(0xdecea5ed, content.length - 8);
  return content;
}

Deno.test("C 16 no mutation of compressed content makes the scanner throw", () => {
  for (const [extension] of FORMATS) {
    const content = fixture(`hostile/payload.pkl.${extension}`);
    const random = seeded(5);
    for (let i = 0; i < 1500; i++) {
      const source = memorySource(mutated(content, random));
      if (!compressedScanner.matches({ source, name: "x", depth: 0 })) continue;
      assert.doesNotThrow(() => scan(compressedScanner, source), `${extension} ${i}`);
    }
  }
});
