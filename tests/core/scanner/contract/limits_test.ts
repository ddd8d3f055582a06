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
  assert.equal(middle.maxValueBytes, 320 * MIB);
  const { maxDepth: _depth, maxMembers: _members, ...most } = limitsFor(2 ** 50, SCAN_MAXIMA);
  assert.deepEqual(most, SCAN_MAXIMA);
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

const WORDS = 3_000_000;

/** A dict of {@link WORDS} words as Python writes it, by a thousand, then `after`. */
function vocabulary(after: Uint8Array): Uint8Array {
  const content = new Uint8Array(20 * WORDS);
  let at = 0;
  const add = (part: Uint8Array) => {
    content.set(part, at);
    at += part.length;
  };
  const word = s8("word 0000000");
  const encoder = new TextEncoder();
  const [begin, end] = [bytes("("), bytes("u")];
  add(bytes(P4, "}\x94"));
  for (let i = 0; i < WORDS; i++) {
    if (i % 1000 === 0) add(begin);
    encoder.encodeInto(String(i).padStart(7, "0"), word.subarray(7));
    add(word);
    // MEMOIZE, and a number that is not the same each time.
    content.set([0x94, 0x4d, i & 0xff, i >> 8 & 0xff], at);
    at += 4;
    if (i % 1000 === 999) add(end);
  }
  add(after);
  return content.subarray(0, at);
}

Deno.test("C 16 evasion 84: three million words are clean, and a call behind them is found", () => {
  const { checks, metadata } = scanned(vocabulary(bytes("0", gl("os", "getpid"), ")R.")));
  assert.equal(verdict(checks), "C");
  const found = checks.filter(({ status }) => status === "failed");
  for (const check of found) assert.match(JSON.stringify(check), /getpid/);
  assert.ok(Number(metadata.opcode_count) > 3 * WORDS);
});

Deno.test("C 15 a pickle whose values take too much memory is inconclusive", () => {
  const tuples = bytes(P4, "N", new Uint8Array(2_500_000).fill(0x85), ".");
  const { checks, inconclusive } = scanned(tuples);
  assert.equal(verdict(checks), "I");
  assert.deepEqual(inconclusive, ["object_limit"]);
  const limit = checks.find(({ incomplete }) => incomplete === "object_limit");
  assert.deepEqual(limit?.details, {
    limit: 128 * MIB,
    setting: "STRONGROOM_SCAN_MAX_VALUES_MB",
    count: 1,
  });
  const maxima = { ...SCAN_MAXIMA, maxValueBytes: MIB };
  assert.equal(verdict(scanned(tuples.subarray(0, 10_000), maxima).checks), "I");
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
