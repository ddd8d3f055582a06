import * as assert from "node:assert/strict";
import { emitFailuresOnThrow, ScanStopped } from "../../../../core/scanner/contract/checkpoint.ts";
import type { Check } from "../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import {
  checksNamed,
  emitting,
  NESTED,
  PASSED,
  PICKLE,
  scan,
  scanner,
  source,
} from "./fake_scanners.ts";
import { LIMITS } from "../recording_context.ts";

Deno.test("C 16 a scanner that throws is a failed check and an error, and the other scanners run", async (t) => {
  const throwing = scanner("bad", function* () {
    yield PASSED;
    throw new RangeError("x".repeat(5000));
  });
  const refusing = scanner("bad", function* () {}, () => {
    throw new RangeError("no");
  });
  for (const [title, bad] of [["in scan", throwing], ["in matches", refusing]] as const) {
    await t.step(title, () => {
      const result = scan("x", [bad, emitting("good", PASSED)]);
      const [check] = checksNamed(result, "Scanner");
      assert.equal(check?.status, "failed");
      assert.equal(check.severity, "warning");
      assert.equal(check.scanner, "bad");
      assert.ok(check.message.length < 200);
      assert.deepEqual(result.inconclusive, ["scanner_failed"]);
      assert.match(result.operationalError ?? "", /Scanner bad failed: RangeError/);
      assert.ok(result.scanners.includes("good"));
    });
  }
});

Deno.test("scanMember() truncates long names", () => {
  const long = scanner("long", function* (content, context) {
    if (content.depth === 0) context.scanMember("n".repeat(70_000), source("x"));
    else yield PASSED;
  });
  assert.equal(checksNamed(scan("x", [long]), "Structure")[0]?.location.length, 202);
});

Deno.test("C 16 and evasion 46: members beyond the maximum depth are reported once, as an error", () => {
  const twice = scanner("twice", function* (_content, context) {
    context.scanMember("a", source("x"));
    context.scanMember("b", source("x"));
    yield PASSED;
  });
  const result = scan("x", [twice], { limits: { ...LIMITS, maxDepth: 2 } });
  assert.deepEqual(
    checksNamed(result, "Nesting Depth").map(({ status, severity, location, ruleCode }) => ({
      status,
      severity,
      location,
      ruleCode,
    })),
    [{ status: "failed", severity: "warning", location: ":a:a", ruleCode: "S410" }],
  );
  assert.equal(checksNamed(result, "Structure").length, 1 + 2 + 4);
  assert.deepEqual(result.inconclusive, ["nesting_limit"]);
  assert.match(result.operationalError ?? "", /more than 2 containers/);
});

Deno.test("evasion 46: scans five nested containers and reports a sixth", async (t) => {
  await t.step("five", () => {
    const result = scan("123456", [NESTED]);
    assert.equal(checksNamed(result, "Structure").length, 6);
    assert.deepEqual(result.inconclusive, []);
  });
  await t.step("six", () => {
    const result = scan("1234567", [NESTED]);
    assert.equal(checksNamed(result, "Structure").length, 6);
    assert.deepEqual(result.inconclusive, ["nesting_limit"]);
  });
});

Deno.test("C 16 members beyond the maximum number are reported once, as an error", () => {
  const seen: string[] = [];
  const many = scanner("many", function* (content, context) {
    if (content.depth > 0) seen.push(content.name);
    else for (const name of "abcde") context.scanMember(name, source("x"));
    yield PASSED;
  });
  const result = scan("x", [many], { limits: { ...LIMITS, maxMembers: 3 } });
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(checksNamed(result, "Member Count").length, 1);
  assert.deepEqual(result.inconclusive, ["member_limit"]);
  assert.match(result.operationalError ?? "", /first 3 members/);
});

Deno.test("reserveUnpacked() grants the bytes that are left for the file, and 0 for invalid numbers", () => {
  const granted: number[] = [];
  const reserving = scanner("reserving", function* (content, context) {
    for (const bytes of [60, -5, NaN, 30.5, 60, 1]) granted.push(context.reserveUnpacked(bytes));
    if (content.depth === 0) context.scanMember("in", source("x"));
    yield PASSED;
  });
  scan("x", [reserving], { limits: { ...LIMITS, maxUnpackedBytes: 100 } });
  assert.deepEqual(granted, [60, 0, 0, 30, 10, 0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("scanMember() reports a member that cannot be read, and scans the next", () => {
  const unreadable: ByteSource = {
    size: 5,
    read() {
      throw new Error("bad block");
    },
  };
  const two = scanner("two", function* (content, context) {
    if (content.depth === 0) {
      context.scanMember("bad", unreadable);
      context.scanMember("good", source("x"));
    }
    yield PASSED;
  });
  const result = scan("x", [two]);
  assert.deepEqual(checksNamed(result, "Scanner").map((it) => it.location), [":bad"]);
  assert.deepEqual(checksNamed(result, "Structure").map((it) => it.location), [":good", ""]);
  assert.deepEqual(result.inconclusive, ["scanner_failed"]);
});

Deno.test("scanFile() reports scanners that are not selected, for files and members", () => {
  const container = scanner("container", function* (content, context) {
    if (content.depth === 0) context.scanMember("in", source("x"));
    yield PASSED;
  });
  const result = scan("x", [container, emitting("out", PASSED)], { skip: ["out"] });
  assert.deepEqual(result.scanners, ["container"]);
  assert.deepEqual(
    checksNamed(result, "Scanner Selection").map((it) => [it.status, it.location, it.details]),
    [
      ["skipped", ":in", { skipped_scanner_id: "out" }],
      ["skipped", "", { skipped_scanner_id: "out" }],
    ],
  );
  assert.deepEqual(result.inconclusive, []);
  assert.deepEqual(checksNamed(result, "Known Format"), []);
});

Deno.test("C 15 and C 16 a scan that is stopped keeps what it has found", async (t) => {
  /** A checkpoint that stops the scan at its nth call. */
  const stopAt = (count: number) => {
    let calls = 0;
    return () => {
      if (++calls >= count) throw new ScanStopped();
    };
  };
  const endless = scanner("endless", function* ({ source, depth }, context) {
    yield { ...PASSED, name: `Begun ${depth}` };
    if (depth === 0) context.scanMember("in", memorySource(new Uint8Array(10)));
    while (depth > 0) source.read(0, 1);
  });
  await t.step("C 16 while it reads a member", () => {
    const result = scan(PICKLE, [endless], { checkpoint: stopAt(1000) });
    assert.deepEqual(result.checks.map(({ name }) => name).sort(), [
      "Begun 0",
      "Begun 1",
      "Scan Time",
    ]);
    assert.deepEqual(result.inconclusive, ["time_limit"]);
    assert.ok(result.operationalError !== undefined);
    assert.equal(result.asset.type, "endless");
    assert.equal(checksNamed(result, "Scanner").length, 0);
  });
  await t.step("C 16 from a scanner that emits its checks at the end", () => {
    const found: Check = { ...PASSED, status: "failed", severity: "critical" };
    const slow = scanner("slow", function* ({ source }) {
      const read = () => {
        for (;;) source.read(0, 1);
      };
      yield* emitFailuresOnThrow(read, () => [found, PASSED]);
    });
    const result = scan(PICKLE, [slow], { checkpoint: stopAt(50) });
    assert.deepEqual(result.checks.map(({ name, status }) => [name, status]), [
      ["Structure", "failed"],
      ["Scan Time", "failed"],
    ]);
  });
  await t.step("C 16 while a scanner decides whether it matches", () => {
    const curious = scanner("curious", function* () {}, ({ source }) => {
      for (;;) source.read(0, 1);
    });
    const result = scan(PICKLE, [curious], { checkpoint: stopAt(50) });
    assert.deepEqual(result.inconclusive, ["time_limit"]);
  });
  await t.step("but throws before the content is hashed", () => {
    assert.throws(() => scan(PICKLE, [], { checkpoint: stopAt(1) }), { name: "ScanStopped" });
  });
});
