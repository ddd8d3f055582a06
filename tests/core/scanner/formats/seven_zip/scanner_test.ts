import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { sevenZipScanner } from "../../../../../core/scanner/formats/seven_zip/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { verdict } from "../../verdict.ts";
import { assertNeverThrows, failures, scan } from "../format_scan.ts";

/** A file below `tests/fixtures/models/archive/`. */
const fixture = (path: string) =>
  Deno.readFileSync(new URL(`../../../../fixtures/models/archive/${path}`, import.meta.url));

const KINDS = ["lzma2", "lzma", "x86", "delta", "bzip2", "deflate", "zstd", "copy"];

/** The start of an archive whose header is `size` bytes at `offset`. */
function start(offset: number, size: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes.set([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]);
  bytes.writeBigUInt64LE(BigInt(offset), 12);
  bytes.writeBigUInt64LE(BigInt(size), 20);
  bytes.writeUInt32LE(crc32(bytes.subarray(12)), 8);
  return bytes;
}

Deno.test("evasion 45: the members of 7z archives are scanned", async (t) => {
  for (const kind of KINDS) {
    await t.step(kind, () => {
      const { checks, members } = scan(sevenZipScanner, fixture(`hostile/${kind}.7z`));
      assert.deepEqual(failures(checks), []);
      assert.deepEqual(members.map(({ name }) => name), [
        "model/config.json",
        "model/model.safetensors",
        "model/optimizer.pkl",
        "data.pkl",
      ]);
      const { source } = members.at(-1) ?? {};
      const text = Buffer.from(source?.read(0, 1000) ?? []).toString("latin1");
      assert.match(text, /echo strongroom fixture/);
    });
  }
  await t.step("bytes after the archive", () => {
    const content = Buffer.concat([fixture("model.7z"), Buffer.from("cos\ngetpid\n)R.")]);
    const { members } = scan(sevenZipScanner, content);
    assert.match(members[0]?.name ?? "", /^\(bytes from \d+\)$/);
    assert.equal(members[0]?.source.size, 14);
  });
});

Deno.test("C 16 what cannot be read of a 7z archive is inconclusive", async (t) => {
  const table: [string, Uint8Array, string, string][] = [
    ["another compression", fixture("hostile/ppmd.7z"), "I", "unsupported_compression"],
    ["encryption", fixture("hostile/encrypted.7z"), "W", "encrypted_member"],
    ["only a start", fixture("hostile/seven_zip.pt"), "I", "malformed_archive"],
    ["a header that is cut off", start(0, 100), "I", "malformed_archive"],
    ["a header beyond the file", start(2 ** 40, 100), "I", "malformed_archive"],
    ["an unknown header", Buffer.concat([start(0, 1), Buffer.of(9)]), "I", "malformed_archive"],
    ["half of an archive", fixture("model.7z").subarray(0, 200), "I", "malformed_archive"],
  ];
  for (const [title, content, expected, reason] of table) {
    await t.step(title, () => {
      const { checks } = scan(sevenZipScanner, content);
      assert.equal(verdict(checks), expected);
      assert.ok(checks.some(({ incomplete }) => incomplete === reason));
    });
  }
  await t.step("an archive without members", () => {
    assert.equal(verdict(scan(sevenZipScanner, start(0, 0)).checks), "OK");
  });
});

Deno.test("7z archives are recognized by their signature", () => {
  const matches = (content: Uint8Array) =>
    sevenZipScanner.matches({ name: "x", depth: 0, source: memorySource(content) });
  assert.ok(matches(fixture("model.7z")));
  assert.ok(!matches(Buffer.from("377abcaf27", "hex")));
  assert.ok(!matches(Buffer.from("7z is an archive")));
});

Deno.test("C 16 no mutation of a 7z archive makes the scanner throw", () => {
  const contents = ["model.7z", "hostile/x86.7z", "hostile/deflate.7z"].map(fixture);
  assertNeverThrows(sevenZipScanner, contents, { mutations: 300 });
});
