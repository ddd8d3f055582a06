import * as assert from "node:assert/strict";
import { deflateSync, gzipSync } from "node:zlib";
import { joblibScanner } from "../../../../../core/scanner/formats/joblib/scanner.ts";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { scanFile } from "../../../../../core/scanner/engine/scan.ts";
import { SCANNERS } from "../../../../../core/scanner/formats/mod.ts";
import { verdict as verdictOf } from "../../verdict.ts";
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

/** A file of joblib before 0.10 with zlib data. */
function zFile(packed: Uint8Array): Uint8Array {
  return bytes(`ZF${"0x10".padEnd(19)}`, packed);
}

Deno.test("C 16: scans damaged joblib up to the damage, and is inconclusive", async (t) => {
  const noise = Uint8Array.from({ length: 4000 }, (_, i) => Math.sin(i) * 1e6);
  const whole = deflateSync(bytes(PICKLE, noise));
  const flipped = whole.map((byte, i) => i === whole.length - 1 ? byte ^ 1 : byte);
  const broken = whole.map((byte, i) => i > whole.length / 2 ? 0xff : byte);
  for (const [title, packed] of [["checksum", flipped], ["middle", broken]] as const) {
    await t.step(title, () => {
      const { verdict, members, failed } = scanJoblib(zFile(packed));
      assert.equal(verdict, "I");
      assert.equal(failed[0]?.incomplete, "corrupt_stream");
      const head = members[0]?.source.read(0, PICKLE.length);
      assert.deepEqual(head, PICKLE);
    });
  }
});

Deno.test("C 16: decompresses joblib only within the budget of the whole file", () => {
  const { verdict, failed, members } = scanJoblib(zFile(deflateSync(PICKLE)), {
    limits: { maxUnpackedBytes: 100 },
  });
  assert.equal(verdict, "I");
  assert.equal(failed[0]?.incomplete, "unpacked_limit");
  assert.ok((members[0]?.source.size ?? 0) <= 100);
});

Deno.test("C 16: compressed joblib of later versions is unpacked once, as other compressed files", () => {
  for (const packed of [deflateSync(PICKLE), gzipSync(PICKLE)]) {
    for (const name of ["model.joblib", "model.joblib.gz", "weights.bin"]) {
      assert.equal(matches(packed, name), false);
      const result = scanFile({
        source: memorySource(packed),
        name,
        scanners: SCANNERS,
        limits: SCAN_LIMITS,
      });
      assert.deepEqual(result.scanners, ["compressed", "pickle"]);
      assert.equal(verdictOf(result.checks), "C");
    }
  }
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
