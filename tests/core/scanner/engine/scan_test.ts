import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { emitFailuresOnThrow, ScanStopped } from "../../../../core/scanner/contract/checkpoint.ts";
import type { FileResult } from "../../../../core/scanner/contract/file_result.ts";
import { scanFile } from "../../../../core/scanner/engine/scan.ts";
import type {
  Check,
  Content,
  ScanContext,
  Scanner,
} from "../../../../core/scanner/contract/scanner.ts";
import { type ByteSource, memorySource } from "../../../../core/scanner/contract/source.ts";
import { LIMITS } from "../recording_context.ts";

const PASSED: Check = { name: "Structure", status: "passed", message: "Structure is sound" };
const PICKLE = "\x80\x04N.";

type Scan = (content: Content, context: ScanContext) => Generator<Check, void, void>;

function scanner(id: string, scan: Scan, claims: Scanner["matches"] = () => true): Scanner {
  return { id, scan, matches: claims };
}

function telling(id: string, ...checks: readonly Check[]): Scanner {
  return scanner(id, function* () {
    yield* checks;
  });
}

function source(text: string): ByteSource {
  return memorySource(Uint8Array.from(text, (it) => it.charCodeAt(0)));
}

function scan(
  content: string | ByteSource,
  scanners: readonly Scanner[],
  options: Partial<Parameters<typeof scanFile>[0]> = {},
): FileResult {
  return scanFile({
    source: typeof content === "string" ? source(content) : content,
    name: "file.dat",
    scanners,
    limits: LIMITS,
    now: () => 7.5,
    ...options,
  });
}

function checksNamed(result: FileResult, name: string) {
  return result.checks.filter((it) => it.name === name);
}

/** A container of one member, named by what follows the first letter, until nothing does. */
const NESTED = scanner("nested", function* (content, context) {
  const inner = content.source.read(1, content.source.size);
  if (inner.length > 0) context.scanMember("in", memorySource(inner));
  yield { ...PASSED, position: content.depth };
});

Deno.test("SR 2.6 scanFile() hashes content block by block and tells how far it is", () => {
  const bytes = new Uint8Array(2 * 2 ** 20 + 5).map((_, index) => index * 31);
  const progress: number[] = [];
  const result = scan(memorySource(bytes), [], { onProgress: (done) => progress.push(done) });
  assert.deepEqual(progress, [2 ** 20, 2 * 2 ** 20, bytes.length]);
  assert.equal(result.size, bytes.length);
  for (const name of ["md5", "sha1", "sha256", "sha512"] as const) {
    assert.equal(result.hashes[name], createHash(name).update(bytes).digest("hex"));
  }
});

Deno.test("scanFile() fails where the content ends before its size", () => {
  const short = { ...source("abc"), size: 10 };
  assert.throws(() => scan(short, []), /ends at 3 of 10/);
});

Deno.test("scanFile() runs the scanners that claim the content, in the order given", () => {
  const other = scanner("other", function* () {}, () => false);
  const first = telling("second", PASSED);
  const result = scan("x", [first, other, telling("first", PASSED, PASSED)]);
  assert.deepEqual(result.scanners, ["second", "first"]);
  assert.deepEqual(result.checks.map((it) => it.scanner), ["second", "first", "first"]);
  assert.deepEqual(result.checks[0], {
    scanner: "second",
    ...PASSED,
    location: "",
    timestamp: 7.5,
  });
  assert.equal(result.asset.type, "second");
  assert.deepEqual(result.inconclusive, []);
});

Deno.test("C 16 the severity of a check is that of a failed one", async (t) => {
  const failed: Check = { name: "A", status: "failed", message: "m" };
  const rows: [string, Check, string, string | undefined][] = [
    ["failed with one", { ...failed, severity: "info" }, "failed", "info"],
    ["failed without one is a warning", failed, "failed", "warning"],
    ["passed", { ...failed, status: "passed", severity: "info" }, "passed", undefined],
    ["skipped", { ...failed, status: "skipped", severity: "info" }, "skipped", undefined],
    [
      "not carried through",
      { ...failed, status: "passed", incomplete: "cut" },
      "skipped",
      undefined,
    ],
  ];
  for (const [title, check, status, severity] of rows) {
    await t.step(title, () => {
      const [told] = scan("x", [telling("a", check)]).checks;
      assert.deepEqual([told?.status, told?.severity], [status, severity]);
    });
  }
});

Deno.test("C 16 a scanner that throws is a failed check, an error and no end of the others", async (t) => {
  const throwing = scanner("bad", function* () {
    yield PASSED;
    throw new RangeError("x".repeat(5000));
  });
  const refusing = scanner("bad", function* () {}, () => {
    throw new RangeError("no");
  });
  for (const [title, bad] of [["in scan", throwing], ["in claims", refusing]] as const) {
    await t.step(title, () => {
      const result = scan("x", [bad, telling("good", PASSED)]);
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

Deno.test("C 16 a location is what follows the path: members and a byte position", () => {
  const checks = checksNamed(scan("123", [NESTED]), "Structure");
  assert.deepEqual(checks.map((it) => it.location), [
    ":in:in (pos 2)",
    ":in (pos 1)",
    " (pos 0)",
  ]);
});

Deno.test("scanMember() cuts long names short", () => {
  const long = scanner("long", function* (content, context) {
    if (content.depth === 0) context.scanMember("n".repeat(70_000), source("x"));
    else yield PASSED;
  });
  assert.equal(checksNamed(scan("x", [long]), "Structure")[0]?.location.length, 202);
});

Deno.test("C 16 and evasion 46: members beyond the depth are told of once, and are an error", () => {
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

Deno.test("evasion 46: five containers are looked into, and a sixth is told of", async (t) => {
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

Deno.test("C 16 members beyond the number are told of once, and are an error", () => {
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

Deno.test("takeUnpacked() gives what is left for the file, and nothing for what is no number", () => {
  const taken: number[] = [];
  const taking = scanner("taking", function* (content, context) {
    for (const bytes of [60, -5, NaN, 30.5, 60, 1]) taken.push(context.reserveUnpacked(bytes));
    if (content.depth === 0) context.scanMember("in", source("x"));
    yield PASSED;
  });
  scan("x", [taking], { limits: { ...LIMITS, maxUnpackedBytes: 100 } });
  assert.deepEqual(taken, [60, 0, 0, 30, 10, 0, 0, 0, 0, 0, 0, 0]);
});

Deno.test("SR 2.5 note() joins facts; of a member only the counters of pickles count", () => {
  const noting = scanner("noting", function* (content, context) {
    const facts = { opcode_count: 10, max_stack_depth: 4, suspicious_count: 1 };
    if (content.depth > 0) context.addMetadata({ ...facts, max_stack_depth: 9, inner: true });
    else {
      context.addMetadata({ ...facts, format: "first", names: ["a"], parts: { a: 1 } });
      context.scanMember("in", source("x"));
      context.addMetadata({ max_stack_depth: 2, format: "last", names: ["b"], parts: { b: 2 } });
    }
    yield PASSED;
  });
  assert.deepEqual(scan("x", [noting]).metadata, {
    opcode_count: 20,
    max_stack_depth: 9,
    suspicious_count: 2,
    format: "last",
    names: ["a", "b"],
    parts: { a: 1, b: 2 },
  });
});

Deno.test("SR 2.2 asset() tells of the file, not of its members", () => {
  const listing = scanner("listing", function* (content, context) {
    context.addAssetParts({ tensors: [`t${content.depth}`], contents: [{ size: 3n }] });
    if (content.depth === 0) context.scanMember("in", source("x"));
    context.addAssetParts({ keys: ["k"], ...(content.depth === 0 && { tensors: ["u"] }) });
    yield PASSED;
  });
  assert.deepEqual(scan("x", [listing]).asset, {
    type: "listing",
    tensors: ["t0", "u"],
    keys: ["k"],
    contents: [{ size: 3 }],
  });
});

Deno.test("SR 2.7 the hashes of members are kept, with where they lie in the file", async (t) => {
  /** Tells of a member `m` in each container, as `told` says, and goes in `depth` times. */
  const container = (depth: number, told: (path: string[]) => Record<string, unknown>) =>
    scanner("zip", function* (content, context) {
      const path = content.depth === 0 ? ["m"] : [content.name, "m"];
      context.addMetadata(told(path));
      if (content.depth < depth) context.scanMember(`in${content.depth}`, source("x"));
      yield PASSED;
    });
  const records = (path: string[]) => ({
    member_file_hashes: {
      [path.join(":")]: { logical_path: path.join(":"), path_segments: path, file_size: 1n },
    },
    member_file_hashes_total: 1,
  });
  await t.step("of members within members, too", () => {
    const { metadata } = scan("x", [container(2, records)]);
    assert.deepEqual(metadata, {
      member_file_hashes: {
        "m": { logical_path: "m", path_segments: ["m"], file_size: 1 },
        "in0:m": { logical_path: "in0:m", path_segments: ["in0", "m"], file_size: 1 },
        "in0:in1:m": {
          logical_path: "in0:in1:m",
          path_segments: ["in0", "in1", "m"],
          file_size: 1,
        },
      },
      member_file_hashes_total: 3,
    });
  });
  await t.step("also where keys are the same", () => {
    const same = () => ({ member_file_hashes: { m: { file_size: 1 } } });
    const { metadata } = scan("x", [container(1, same)]);
    assert.deepEqual(Object.keys(metadata["member_file_hashes"] ?? {}), ["m", "m#2"]);
    assert.equal(metadata["member_file_hashes_total"], 2);
  });
  await t.step("1000 of them", () => {
    const names = Array.from({ length: 600 }, (_, n) => `${n}`);
    const many = () => ({
      member_file_hashes: Object.fromEntries(names.map((it) => [it, { file_size: 1 }])),
      member_file_hashes_total: 610,
      member_file_hashes_truncated: true,
      member_file_hashes_omitted: 10,
    });
    const { metadata } = scan("x", [container(1, many)]);
    assert.equal(Object.keys(metadata["member_file_hashes"] ?? {}).length, 1000);
    assert.equal(metadata["member_file_hashes_total"], 1220);
    assert.equal(metadata["member_file_hashes_truncated"], true);
    assert.equal(metadata["member_file_hashes_omitted"], 220);
  });
  await t.step("whatever else is noted under their names is left out", () => {
    for (const hashes of [7, "text", ["a"], null, { m: 7 }]) {
      const { metadata } = scan("x", [container(0, () => ({ member_file_hashes: hashes }))]);
      assert.deepEqual(Object.keys(metadata["member_file_hashes"] ?? {}), []);
    }
  });
});

Deno.test("scanMember() tells of a member that can't be read, and goes on with the next", () => {
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

Deno.test("C 16 content that no scanner claims is listed with a skipped check", async (t) => {
  const never = scanner("never", function* () {}, () => false);
  const rows: [string, string, string, string[]][] = [
    ["an empty file", "", "unknown", []],
    ["one byte", "\x80", "unknown", []],
    ["a text", "hello", "unknown", []],
    ["a program", "\x7fELF", "elf", []],
    ["evasion 45: a 7z archive, which hides what it holds", "7z\xbc\xaf'\x1c", "7z", [
      "unsupported_format",
    ]],
    ["a pickle", PICKLE, "pickle", ["unsupported_format"]],
  ];
  for (const [title, content, type, inconclusive] of rows) {
    await t.step(title, () => {
      const result = scan(content, [never]);
      assert.deepEqual(result.checks.map(({ name, status, scanner }) => [name, status, scanner]), [
        ["Known Format", "skipped", "file"],
      ]);
      assert.equal(result.asset.type, type);
      assert.deepEqual(result.inconclusive, inconclusive);
      assert.deepEqual(result.scanners, []);
      assert.equal(result.operationalError, undefined);
    });
  }
});

Deno.test("scanFile() tells of scanners that were not selected, for files and members", () => {
  const container = scanner("container", function* (content, context) {
    if (content.depth === 0) context.scanMember("in", source("x"));
    yield PASSED;
  });
  const result = scan("x", [container, telling("out", PASSED)], { skip: ["out"] });
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

Deno.test("evasion 37: content of another kind than its name says", async (t) => {
  const zip = "PK\x03\x04";
  const tar = "\0".repeat(257) + "ustar\0";
  const pe = `MZ${"\0".repeat(58)}\x40\0\0\0PE\0\0`;
  const safetensors = `\x80\x02q\0\0\0\0\0{"a":1}${" ".repeat(0x710280)}`;
  const rows: [string, string, string | undefined][] = [
    ["a.safetensors", PICKLE, "pickle"],
    ["a.safetensors", zip, "zip"],
    ["a.SafeTensors", PICKLE, "pickle"],
    ["model.gguf", "\x1f\x8b\x08", "gzip"],
    ["a.npy", PICKLE, "pickle"],
    ["a.onnx", "7z\xbc\xaf'\x1c", "7z"],
    ["a.h5", zip, "zip"],
    ["a.keras", PICKLE, "pickle"],
    ["a.pt", "\x7fELF", "elf"],
    ["a.bin", pe, "pe"],
    ["a.pkl", "#!/bin/sh\n", "script"],
    ["a.pkl", "Rar!\x1a\x07", "rar"],
    ["a.txt", PICKLE, "pickle"],
    ["config.json", zip, "zip"],
    ["a.pt", "BZh91AY&SY", "bzip2"],
    ["a.safetensors", "\x80\x04X\x02\0\0\0a{.", "pickle"],
    ["a.pt", PICKLE, undefined],
    ["a.bin", zip, undefined],
    ["a.ckpt", tar, undefined],
    ["a.npz", zip, undefined],
    ["a.keras", zip, undefined],
    ["a.mar", zip, undefined],
    ["a.joblib", PICKLE, undefined],
    ["a.joblib", "x\x9c\x01", undefined],
    ["a.pkl", "\xfd7zXZ\0", undefined],
    ["a.nemo", tar, undefined],
    ["a.sh.txt", "#!/bin/sh\n", undefined],
    ["a.bin", "MZ only two letters", undefined],
    ["a.safetensors", "\x80\x02\0\0\0\0\0\0{}", undefined],
    ["a.safetensors", safetensors, undefined],
    ["a.onnx", "\x08\x07", undefined],
    ["a.gguf", "", undefined],
    ["a.gguf", "\x80", undefined],
    ["a.gguf", "\x80\x04", undefined],
  ];
  for (const [name, content, actual] of rows) {
    await t.step(`${name} ${actual ?? "passes"} ${JSON.stringify(content.slice(0, 8))}`, () => {
      const [check] = checksNamed(scan(content, [], { name }), "File Type");
      assert.equal(check?.status, actual === undefined ? "passed" : "failed");
      if (actual === undefined) return;
      assert.deepEqual([check.ruleCode, check.severity], ["S901", "warning"]);
      assert.deepEqual(check.details, { actual });
    });
  }
  await t.step("a name that promises nothing is not checked", () => {
    for (const name of ["a", "a.dat", ".txt", "a.pkl.gz", "pkl", "a.pt/b"]) {
      assert.deepEqual(checksNamed(scan(PICKLE, [], { name }), "File Type"), [], name);
    }
  });
  await t.step("a pickle without a signature is one if its scanner claims it", () => {
    const result = scan("cos\n", [telling("pickle", PASSED)], { name: "a.onnx" });
    assert.equal(checksNamed(result, "File Type")[0]?.status, "failed");
  });
  await t.step("members, too", () => {
    const outer = scanner("zip", function* (content, context) {
      if (content.depth === 0) context.scanMember("deep/a.gguf", source(PICKLE));
      yield PASSED;
    });
    const [check] = checksNamed(scan(zip, [outer], { name: "a.zip" }), "File Type");
    assert.equal(check?.location, ":deep/a.gguf");
    assert.match(check.message, /^a\.gguf has content of another format: pickle$/);
  });
});

Deno.test("of checks that are alike 1000 are kept, and those of other kinds all", () => {
  const flood = scanner("flood", function* () {
    const failed = { name: "Import", status: "failed", message: "m" } as const;
    for (let position = 0; position < 1500; position++) {
      yield { ...PASSED, position };
      yield { ...failed, severity: "info", position };
    }
    yield { ...failed, severity: "critical" };
  });
  const result = scan("x", [flood]);
  assert.equal(checksNamed(result, "Structure").length, 1000);
  assert.equal(checksNamed(result, "Import").length, 1001);
  assert.equal(checksNamed(result, "Import").at(-1)?.severity, "critical");
  assert.deepEqual(
    checksNamed(result, "Findings Listed").map((it) => [it.status, it.message]),
    [["skipped", "Import: 1000 of 1500 are listed"]],
  );
  assert.deepEqual(result.inconclusive, []);
});

Deno.test("a FileResult is the same after structured clone and after JSON, whatever scanners tell", () => {
  const value = fc.anything({
    withBigInt: true,
    withTypedArray: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withNullPrototype: true,
    withUnicodeString: true,
  });
  const facts = fc.dictionary(fc.string(), value);
  fc.assert(fc.property(facts, facts, fc.string({ unit: "binary" }), (details, noted, message) => {
    const hostile = scanner("hostile", function* (content, context) {
      context.addMetadata({
        ...noted,
        ["__proto__"]: { polluted: 1 },
        call: () => 1,
        gone: undefined,
      });
      context.addAssetParts({ contents: [noted] });
      if (content.depth === 0) context.scanMember(message, source("x"));
      yield { name: "A", status: "failed", severity: "info", message, details };
    });
    const result = scan("x", [hostile]);
    assert.deepEqual(structuredClone(result), result);
    assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
    assert.equal(Object.hasOwn(result.metadata, "__proto__"), true);
  }));
});

Deno.test("details keep what JSON has no values for as text, in bounds of depth", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const details = {
    huge: 2n ** 70n,
    whole: 5n,
    infinite: Infinity,
    zero: -0,
    bytes: Uint8Array.of(1, 255),
    cycle,
  };
  const result = scan("x", [telling("a", { ...PASSED, details })]);
  const { cycle: bounded, zero, ...rest } = result.checks[0]?.details ?? {};
  assert.ok(Object.is(zero, 0));
  assert.deepEqual(rest, {
    huge: "1180591620717411303424",
    whole: 5,
    infinite: "Infinity",
    bytes: "01ff",
  });
  assert.match(JSON.stringify(bounded), /^(\{"self":){10,20}"…"\}+$/);
});

Deno.test("C 15 and C 16 a scan that is to end keeps what it has found", async (t) => {
  /** Ends the scan when it is passed for the nth time. */
  const stopAt = (count: number) => {
    let passed = 0;
    return () => {
      if (++passed >= count) throw new ScanStopped();
    };
  };
  const endless = scanner("endless", function* ({ source, depth }, context) {
    yield { ...PASSED, name: `Begun ${depth}` };
    if (depth === 0) context.scanMember("in", memorySource(new Uint8Array(10)));
    while (depth > 0) source.read(0, 1);
  });
  await t.step("C 16 in a member, where it is busy with reading", () => {
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
  await t.step("C 16 also of scanners that tell it at the end", () => {
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
  await t.step("C 16 while it is told whose the content is", () => {
    const curious = scanner("curious", function* () {}, ({ source }) => {
      for (;;) source.read(0, 1);
    });
    const result = scan(PICKLE, [curious], { checkpoint: stopAt(50) });
    assert.deepEqual(result.inconclusive, ["time_limit"]);
  });
  await t.step("but fails where it has not been hashed yet", () => {
    assert.throws(() => scan(PICKLE, [], { checkpoint: stopAt(1) }), { name: "ScanStopped" });
  });
});
