import * as assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import {
  limitsFor,
  SCAN_LIMITS,
  SCAN_MAXIMA,
  type ScanMaxima,
} from "../../../../core/scanner/contract/limits.ts";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { scan } from "../../../../core/scanner/scan.ts";
import { MIB } from "../../../../schemas/units.ts";
import { bytes, gl, s8 } from "../formats/pickle/pickle_bytes.ts";
import { P4 } from "../formats/pickle/pickle_parts.ts";
import { verdict } from "../verdict.ts";

const scanned = (content: Uint8Array, maxima?: ScanMaxima) =>
  scan(memorySource(content), { name: "model.pkl", ...(maxima && { maxima }) });

/** A list of `count` numbers, then `after`. */
function numbers(count: number, after: Uint8Array): Uint8Array {
  const items = new Uint8Array(count * 2).fill(0x4b);
  for (let i = 1; i < items.length; i += 2) items[i] = i & 0x7f;
  const content = new Uint8Array(items.length + after.length + 6);
  content.set(bytes(P4, "]("));
  content.set(items, 4);
  content.set(bytes("e0"), 4 + items.length);
  content.set(after, 6 + items.length);
  return content;
}

Deno.test("C 15 the limits of a scan grow with the file up to the maxima", () => {
  assert.deepEqual(limitsFor(0, SCAN_MAXIMA), SCAN_LIMITS);
  const middle = limitsFor(20 * MIB, SCAN_MAXIMA);
  assert.equal(middle.maxMemberBytes, 80 * MIB);
  assert.equal(middle.maxOpcodes, 20 * MIB);
  const { maxMemberBytes, maxUnpackedBytes, maxOpcodes } = limitsFor(2 ** 50, SCAN_MAXIMA);
  assert.deepEqual({ maxMemberBytes, maxUnpackedBytes, maxOpcodes }, SCAN_MAXIMA);
  assert.equal(limitsFor(0, { ...SCAN_MAXIMA, maxOpcodes: 10 }).maxOpcodes, 10);
});

Deno.test("evasion 84: a call behind a million instructions is found", () => {
  const content = numbers(1_200_000, bytes(gl("os", "getpid"), ")R."));
  assert.equal(verdict(scanned(content).checks), "C");
  const stopped = scanned(content, { ...SCAN_MAXIMA, maxOpcodes: 1_000_000 });
  assert.equal(verdict(stopped.checks), "I");
  const limit = stopped.checks.find(({ incomplete }) => incomplete === "opcode_limit");
  assert.deepEqual(limit?.details, {
    limit: 1_000_000,
    setting: "STRONGROOM_SCAN_MAX_OPCODES",
    count: 1,
  });
});

Deno.test("C 16 a vocabulary of 400,000 words is clean", () => {
  const words = Array.from(
    { length: 400_000 },
    (_, i) => bytes(s8(`word ${i}`), "\x94K", i & 0x7f),
  );
  const size = words.reduce((sum, word) => sum + word.length, 0);
  const content = new Uint8Array(size + 6);
  content.set(bytes(P4, "}("));
  let at = 4;
  for (const word of words) {
    content.set(word, at);
    at += word.length;
  }
  content.set(bytes("u."), at);
  assert.equal(verdict(scanned(content).checks), "OK");
});

Deno.test("C 15 a pickle that keeps too many values is inconclusive", () => {
  const tuples = bytes(P4, "N", new Uint8Array(2_500_000).fill(0x85), ".");
  const { checks, inconclusive } = scanned(tuples);
  assert.equal(verdict(checks), "I");
  assert.deepEqual(inconclusive, ["object_limit"]);
});

Deno.test("C 15 the report names the settings that raise the limit of a member", () => {
  const packed = deflateRawSync(new Uint8Array(3 * MIB));
  const gzip = bytes("\x1f\x8b\x08", new Uint8Array(7), packed, new Uint8Array(8));
  const { checks } = scanned(gzip, { ...SCAN_MAXIMA, maxMemberBytes: MIB });
  const limit = checks.find(({ incomplete }) => incomplete === "unpacked_limit");
  assert.equal(limit?.details?.max_member_bytes, MIB);
  assert.deepEqual(limit.details.settings, [
    "STRONGROOM_SCAN_MAX_MEMBER_MB",
    "STRONGROOM_SCAN_MAX_UNPACKED_MB",
  ]);
});
