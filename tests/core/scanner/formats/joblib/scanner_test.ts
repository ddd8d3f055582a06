import * as assert from "node:assert/strict";
import { deflateSync, gzipSync } from "node:zlib";
import { joblibScanner } from "../../../../../core/scanner/formats/joblib/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { bytes } from "../pickle/pickle_bytes.ts";
import { P4, PAYLOAD } from "../pickle/pickle_parts.ts";
import { type PickleScanOptions, scan } from "../pickle/scan_pickle.ts";

const PICKLE = bytes(P4, "(", "K\x01".repeat(500), "t0", PAYLOAD);

function scanJoblib(content: Uint8Array, options: PickleScanOptions = {}) {
  return scan(content, { ...options, scanner: joblibScanner, name: "model.joblib" });
}

function matches(content: Uint8Array, name: string): boolean {
  return joblibScanner.matches({ source: memorySource(content), name, depth: 0 });
}

Deno.test("C 16: decompresses joblib in zlib and gzip, and scans it as a member", async (t) => {
  for (
    const [title, packed] of [["zlib", deflateSync(PICKLE)], ["gzip", gzipSync(PICKLE)]] as const
  ) {
    await t.step(title, () => {
      const { verdict, members, failed } = scanJoblib(packed);
      assert.equal(verdict, "OK", JSON.stringify(failed));
      assert.deepEqual(members.map(({ name }) => name), ["model.joblib"]);
      const [member] = members;
      assert.ok(member !== undefined);
      assert.deepEqual(member.source.read(0, PICKLE.length + 1), PICKLE);
      assert.equal(scan(member.source).verdict, "C");
    });
  }
});

Deno.test("C 16: scans damaged joblib up to the damage, and is inconclusive", async (t) => {
  const noise = Uint8Array.from({ length: 4000 }, (_, i) => Math.sin(i) * 1e6);
  const whole = deflateSync(bytes(PICKLE, noise));
  const flipped = whole.map((byte, i) => i === whole.length - 1 ? byte ^ 1 : byte);
  const broken = whole.map((byte, i) => i > whole.length / 2 ? 0xff : byte);
  for (const [title, packed] of [["checksum", flipped], ["middle", broken]] as const) {
    await t.step(title, () => {
      const { verdict, members, failed } = scanJoblib(packed);
      assert.equal(verdict, "I");
      assert.equal(failed[0]?.incomplete, "malformed_compression");
      const head = members[0]?.source.read(0, PICKLE.length);
      assert.deepEqual(head, PICKLE);
    });
  }
  await t.step("only a header", () => {
    const { verdict, members } = scanJoblib(bytes(0x78, 0x9c, 0xff, 0xff, 0xff));
    assert.equal(verdict, "I");
    assert.equal(members.length, 0);
  });
});

Deno.test("C 16: warns about a decompression bomb in joblib, and scans its beginning", () => {
  const { verdict, failed, members } = scanJoblib(deflateSync(bytes(PICKLE, new Uint8Array(3e6))), {
    limits: { maxMemberBytes: 200_000 },
  });
  assert.equal(verdict, "W");
  assert.deepEqual(
    failed.map(({ ruleCode, incomplete, operational }) => [ruleCode, incomplete, operational]),
    [
      ["S410", "unpacked_size", true],
    ],
  );
  const [member] = members;
  assert.ok(member !== undefined && member.source.size <= 200_000);
  assert.deepEqual(member.source.read(0, PICKLE.length), PICKLE);
});

Deno.test("C 16: decompresses joblib only within the budget of the whole file", () => {
  const { verdict, failed, members } = scanJoblib(deflateSync(PICKLE), {
    limits: { maxUnpackedBytes: 100 },
  });
  assert.equal(verdict, "I");
  assert.equal(failed[0]?.incomplete, "unpacked_size");
  assert.equal(members[0]?.source.size, 100);
});

Deno.test("joblib in bzip2, xz, lzma and lz4 is left to the scanner of compressed files", () => {
  for (const head of ["BZh9", "\xfd7zXZ\x00", "\x5d\x00\x00\x80", "\x04\x22\x4d\x18"]) {
    assert.equal(matches(bytes(head, new Uint8Array(50)), "model.joblib"), false);
  }
});

Deno.test("matches only zlib by its content", () => {
  assert.equal(matches(deflateSync(PICKLE), "weights.bin"), true);
  assert.equal(matches(deflateSync(bytes("some text")), "weights.bin"), false);
  assert.equal(matches(gzipSync(PICKLE), "weights.bin"), false);
  assert.equal(matches(PICKLE, "model.joblib"), false);
  assert.equal(matches(bytes(), "model.joblib"), false);
});

Deno.test("C 16 the pickle in a file of joblib before 0.10 is a member", async (t) => {
  const packed = deflateSync(PICKLE);
  const heads: Readonly<Record<string, string>> = {
    "as Python 3 wrote it": `ZF${`0x${PICKLE.length.toString(16)}`.padEnd(19)}`,
    "as Python 2 wrote it": `ZF${`0x${PICKLE.length.toString(16)}L`.padEnd(20)}`,
    "with a length that is wrong": `ZF${"1".padStart(19, "0")}`,
    "with a length after spaces": `ZF${"ff".padStart(19)}`,
  };
  for (const [title, head] of Object.entries(heads)) {
    await t.step(title, () => {
      const content = bytes(head, packed);
      assert.ok(matches(content, "model.pkl"));
      const { members, failed } = scanJoblib(content);
      assert.deepEqual(failed, []);
      assert.deepEqual(members[0]?.source.read(0, PICKLE.length + 1), PICKLE);
    });
  }
  await t.step("other content is none", () => {
    const text = "ZFinance is not a joblib file";
    for (const content of ["ZF", text, `ZF${"0x1a".padEnd(19)}text`, bytes("ZF", packed)]) {
      assert.ok(!matches(bytes(content), "model.pkl"));
    }
  });
});

Deno.test("C 16: an array of joblib before 0.10 is not taken for a file of NumPy", () => {
  const packed = deflateSync(new Uint8Array(40));
  const { members } = scan(bytes("ZF0x28               ", packed), {
    scanner: joblibScanner,
    name: "model.pkl_01.npy.z",
  });
  assert.deepEqual(members.map(({ name }) => name), ["model.pkl_01"]);
});
