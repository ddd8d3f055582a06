import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { exitCode } from "../../../../core/scanner/report/exit_code.ts";
import type { FileCheck, FileResult } from "../../../../core/scanner/contract/file_result.ts";
import { type FileOutcome, reportOf } from "../../../../core/scanner/report/report.ts";
import { locationOf } from "../../../../core/scanner/report/location.ts";
import type { Report } from "../../../../schemas/report.ts";
import { ruleOf, RULES } from "../../../../core/scanner/contract/rules.ts";

function check(parts: Partial<FileCheck> = {}): FileCheck {
  const { status = "passed" } = parts;
  return {
    scanner: "pickle",
    name: "Import",
    status,
    message: "m",
    ...(status === "failed" && { severity: "warning" }),
    location: "",
    timestamp: 1,
    ...parts,
  };
}

function failed(parts: Partial<FileCheck> = {}): FileCheck {
  return check({ status: "failed", ...parts });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function scanOf(checks: readonly FileCheck[], parts: Partial<FileResult> = {}): FileResult {
  return {
    size: 10,
    hashes: { md5: "a", sha1: "b", sha256: sha256("content"), sha512: "d" },
    scanners: ["pickle"],
    checks,
    asset: { type: "pickle" },
    metadata: {},
    inconclusive: [...new Set(checks.flatMap(({ incomplete }) => incomplete ?? []))],
    timestamp: 1,
    ...parts,
  };
}

function report(...files: readonly FileOutcome[]): Report {
  return reportOf({ files, startTime: 100, duration: 2.5 });
}

function reportOn(...checks: readonly FileCheck[]): Report {
  return report({ path: "a.pkl", scan: scanOf(checks) });
}

Deno.test("C 16 checks of one name on one asset are merged", async (t) => {
  const critical = failed({
    severity: "critical",
    message: "os.system",
    location: ":m (pos 4)",
    ruleCode: "S101",
    details: { name: "os.system" },
    timestamp: 9,
  });
  const info = failed({ severity: "info", message: "unlisted", ruleCode: "S206", why: "It may." });
  const passed = check({ message: "sound" });
  const skipped = check({ status: "skipped", message: "left out" });
  const cut = check({ status: "skipped", message: "cut", incomplete: "truncated" });
  const rows: [string, FileCheck[], Record<string, unknown>][] = [
    ["one stays as it is", [critical], {
      status: "failed",
      severity: "critical",
      message: "os.system",
      location: "a.pkl:m (pos 4)",
      details: { name: "os.system" },
      rule_code: "S101",
      why: RULES.S101.why,
      timestamp: 9,
    }],
    ["the worst speaks, whatever comes first", [info, passed, critical], {
      status: "failed",
      severity: "critical",
      message: "Import found 2 issues",
      location: "a.pkl",
      details: {
        component_count: 3,
        findings: [
          {
            message: "os.system",
            severity: "critical",
            location: "a.pkl:m (pos 4)",
            rule_code: "S101",
            details: { name: "os.system" },
          },
          { message: "unlisted", severity: "info", location: "a.pkl", rule_code: "S206" },
        ],
      },
      rule_code: "S101",
      why: RULES.S101.why,
      timestamp: 9,
    }],
    ["the rule code survives, from whichever has one", [failed({ message: "x" }), info], {
      status: "failed",
      severity: "warning",
      message: "Import found 2 issues",
      location: "a.pkl",
      details: {
        component_count: 2,
        findings: [
          { message: "x", severity: "warning", location: "a.pkl" },
          { message: "unlisted", severity: "info", location: "a.pkl", rule_code: "S206" },
        ],
      },
      rule_code: "S206",
      why: "It may.",
      timestamp: 1,
    }],
    ["a message that all have stays", [failed({ location: ":a" }), failed({ location: ":b" })], {
      status: "failed",
      severity: "warning",
      message: "m",
      location: "a.pkl",
      details: {
        component_count: 2,
        findings: [
          { message: "m", severity: "warning", location: "a.pkl:a" },
          { message: "m", severity: "warning", location: "a.pkl:b" },
        ],
      },
      timestamp: 1,
    }],
    ["passed if any passed", [skipped, passed, check({ message: "fine", timestamp: 3 })], {
      status: "passed",
      message: "Import completed successfully",
      location: "a.pkl",
      details: { component_count: 3 },
      timestamp: 3,
    }],
    ["but not if one could not be carried through", [passed, cut, passed], {
      status: "skipped",
      message: "cut",
      location: "a.pkl",
      details: {
        component_count: 3,
        findings: [{ message: "cut", location: "a.pkl", details: { incomplete: ["truncated"] } }],
        incomplete: ["truncated"],
      },
      timestamp: 1,
    }],
    ["else skipped", [skipped, check({ status: "skipped", message: "empty" })], {
      status: "skipped",
      message: "Import was skipped",
      location: "a.pkl",
      details: {
        component_count: 2,
        findings: [
          { message: "left out", location: "a.pkl" },
          { message: "empty", location: "a.pkl" },
        ],
      },
      timestamp: 1,
    }],
  ];
  for (const [title, checks, expected] of rows) {
    await t.step(title, () => {
      assert.deepEqual(reportOn(...checks).checks, [{
        name: "Import",
        severity: null,
        ...expected,
      }]);
    });
  }
  await t.step("not across names, and not across files", () => {
    const scan = scanOf([check(), check({ name: "Structure" }), check()]);
    const { checks } = report({ path: "a", scan }, { path: "b", scan });
    assert.deepEqual(checks.map(({ name, location }) => [name, location]), [
      ["Import", "a"],
      ["Structure", "a"],
      ["Import", "b"],
      ["Structure", "b"],
    ]);
  });
});

Deno.test("C 16 a failed check has an issue of the same content", () => {
  const [first, second, ...rest] = reportOn(
    failed({
      severity: "critical",
      message: "os.system",
      location: ":m (pos 4)",
      ruleCode: "S101",
      details: { name: "os.system" },
      incomplete: "truncated",
    }),
    check(),
    failed({ scanner: "zip", name: "Other", severity: "debug", why: "It may." }),
    check({ status: "skipped", name: "Third" }),
  ).issues;
  assert.deepEqual(first, {
    message: "os.system",
    severity: "critical",
    location: "a.pkl:m (pos 4)",
    details: { name: "os.system", incomplete: ["truncated"] },
    why: RULES.S101.why,
    timestamp: 1,
    type: "pickle_check",
    rule_code: "S101",
  });
  assert.deepEqual(second, {
    message: "m",
    severity: "debug",
    location: "a.pkl",
    why: "It may.",
    timestamp: 1,
    type: "zip_check",
  });
  assert.deepEqual(rest, []);
});

Deno.test("C 16 issues are unique by message, severity and location", () => {
  const { issues } = reportOn(
    failed({ details: { first: true } }),
    failed({ details: { first: false }, scanner: "zip" }),
    failed({ message: "other" }),
    failed({ severity: "critical" }),
    failed({ location: ":m" }),
  );
  assert.equal(issues.length, 4);
  assert.deepEqual(issues[0]?.details, { first: true });
});

Deno.test("C 16 total_checks counts merged checks, without failed ones of info and debug", () => {
  const { total_checks, passed_checks, failed_checks, checks } = reportOn(
    check({ name: "A" }),
    check({ name: "A" }),
    check({ name: "B", status: "skipped" }),
    failed({ name: "C", severity: "info" }),
    failed({ name: "D", severity: "debug" }),
    failed({ name: "E", severity: "warning" }),
    failed({ name: "F", severity: "info" }),
    failed({ name: "F", severity: "critical" }),
  );
  assert.deepEqual([total_checks, passed_checks, failed_checks], [4, 1, 2]);
  assert.equal(checks.length, 6);
});

Deno.test("C 16 content_hash is over the sorted digests, one a distinct content", async (t) => {
  const of = (content: string) => scanOf([], { hashes: { sha256: sha256(content) } });
  const digests = [sha256("one"), sha256("two")].sort();
  const expected = sha256(digests.join(""));
  const rows: [string, FileOutcome[], string | null][] = [
    ["in any order", [{ path: "b", scan: of("two") }, { path: "a", scan: of("one") }], expected],
    ["copies count once", [
      { path: "a", scan: of("one") },
      { path: "b", scan: of("two") },
      { path: "c", scan: of("one") },
    ], expected],
    [
      "of one file it is not its own digest",
      [{ path: "a", scan: of("one") }],
      sha256(sha256("one")),
    ],
    ["null where nothing could be hashed", [{ path: "a", error: "gone" }], null],
    ["null without files", [], null],
  ];
  for (const [title, files, hash] of rows) {
    await t.step(title, () => assert.equal(report(...files).content_hash, hash));
  }
});

Deno.test("C 16 has_errors, success and exit codes", async (t) => {
  const clean: FileOutcome = { path: "clean", scan: scanOf([check()]) };
  const infos: FileOutcome = { path: "info", scan: scanOf([failed({ severity: "info" })]) };
  const warned: FileOutcome = { path: "warned", scan: scanOf([failed()]) };
  const critical: FileOutcome = { path: "c", scan: scanOf([failed({ severity: "critical" })]) };
  const cut = check({ status: "skipped", incomplete: "truncated" });
  const unclear: FileOutcome = { path: "unclear", scan: scanOf([cut]) };
  const unclearInfo: FileOutcome = {
    path: "unclear",
    scan: scanOf([failed({ severity: "info", incomplete: "truncated" })]),
  };
  const unclearBad: FileOutcome = { path: "bad", scan: scanOf([failed(), cut]) };
  const limited: FileOutcome = { path: "limit", scan: scanOf([], { operationalError: "limit" }) };
  const unread: FileOutcome = { path: "unread", error: "permission denied" };
  const rows: [string, FileOutcome[], boolean, boolean, 0 | 1 | 2][] = [
    ["clean", [clean], false, true, 0],
    ["info only", [infos], false, true, 0],
    ["a warning", [clean, warned], false, true, 1],
    ["something critical", [critical], false, true, 1],
    ["inconclusive", [clean, unclear], false, false, 2],
    ["inconclusive with info only", [unclearInfo], false, false, 2],
    ["inconclusive with a warning in it", [unclearBad], false, true, 1],
    ["inconclusive with a warning elsewhere", [unclear, warned], false, false, 1],
    ["a limit", [limited], true, false, 2],
    ["a limit, and something critical", [limited, critical], true, false, 2],
    ["unreadable", [unread], true, false, 2],
    ["unreadable, and a warning", [unread, warned], true, false, 2],
    ["no file", [], false, true, 2],
  ];
  for (const [title, files, hasErrors, success, code] of rows) {
    await t.step(title, () => {
      const result = report(...files);
      assert.deepEqual([result.has_errors, result.success, exitCode(result)], [
        hasErrors,
        success,
        code,
      ]);
    });
  }
  await t.step("SR 2.4 an issue without severity is a warning", () => {
    assert.equal(exitCode({ ...report(clean), issues: [{ message: "m" }] }), 1);
  });
});

Deno.test("C 16 a file that could not be read is a failed check and has no hash", () => {
  const result = report(
    { path: "a", error: "permission denied" },
    { path: "b", scan: scanOf([check()]) },
  );
  assert.deepEqual([result.files_scanned, result.bytes_scanned], [1, 10]);
  assert.deepEqual(result.assets[0], { path: "a", type: "error" });
  assert.equal(result.checks[0]?.status, "failed");
  assert.match(result.issues[0]?.message ?? "", /permission denied/);
  assert.equal(result.issues[0]?.location, "a");
  const metadata = result.file_metadata["a"];
  assert.equal(metadata?.file_hashes, undefined);
  assert.equal(metadata?.["scan_outcome"], "inconclusive");
  assert.equal(metadata["operational_error"], true);
  assert.equal(metadata.scan_timestamp, 102.5);
  assert.equal(result.content_hash, sha256(sha256("content")));
});

Deno.test("C 16 content that was not read to the end is never called clean", () => {
  const cut = check({ status: "skipped", incomplete: "truncated_stream" });
  const { file_metadata, checks } = report(
    { path: "a", scan: scanOf([check(), cut]) },
    { path: "b", scan: scanOf([check()]) },
  );
  assert.equal(file_metadata["a"]?.["scan_outcome"], "inconclusive");
  assert.deepEqual(file_metadata["a"]["scan_outcome_reasons"], ["truncated_stream"]);
  assert.equal(file_metadata["a"].risk_score, 0.3);
  assert.equal(checks[0]?.status, "skipped");
  assert.deepEqual(checks[0].details?.["incomplete"], ["truncated_stream"]);
  assert.equal("scan_outcome" in (file_metadata["b"] ?? {}), false);
});

Deno.test("SR 2.1 files, bytes and scanners are those of all paths; content may be told twice", () => {
  const scan = scanOf([failed()], { scanners: ["zip", "pickle"] });
  const other = scanOf([], { scanners: ["pickle", "gguf"], size: 5 });
  const result = report({ path: "a", scan }, { path: "b", scan }, { path: "c", scan: other });
  assert.deepEqual([result.files_scanned, result.bytes_scanned], [3, 25]);
  assert.deepEqual([result.start_time, result.duration], [100, 2.5]);
  assert.deepEqual(result.scanner_names, ["zip", "pickle", "gguf"]);
  assert.deepEqual(result.issues.map(({ location }) => location), ["a", "b"]);
  assert.deepEqual(result.assets.map(({ path, type, size }) => [path, type, size]), [
    ["a", "pickle", 10],
    ["b", "pickle", 10],
    ["c", "pickle", 5],
  ]);
});

Deno.test("SR 2.2 and 2.5 assets and metadata carry what scanners told", () => {
  const scan = scanOf([], {
    asset: { type: "safetensors", tensors: ["w"], keys: ["k"], contents: [{ name: "m" }] },
    metadata: { opcode_count: 3, format: "x", file_size: 99, is_model: false },
  });
  const result = report({ path: "a.safetensors", scan });
  assert.deepEqual(result.assets, [{
    path: "a.safetensors",
    type: "safetensors",
    size: 10,
    tensors: ["w"],
    keys: ["k"],
    contents: [{ name: "m" }],
  }]);
  assert.deepEqual(result.file_metadata["a.safetensors"], {
    opcode_count: 3,
    format: "x",
    file_size: 10,
    file_hashes: scan.hashes,
    license_files_nearby: [],
    is_model: false,
    is_dataset: false,
    risk_score: 0,
    scan_timestamp: 1,
  });
});

Deno.test("SR 2.5 is_model and is_dataset go by name, then by format", async (t) => {
  const rows: [string, string, boolean, boolean][] = [
    ["a.gguf", "unknown", true, false],
    ["dir.csv/a.PT", "unknown", true, false],
    ["a.csv", "unknown", false, true],
    ["a.parquet", "pickle", false, true],
    ["a.dat", "pickle", true, false],
    ["a.dat", "unknown", false, false],
    ["README.md", "text", false, false],
  ];
  for (const [path, type, isModel, isDataset] of rows) {
    await t.step(`${path} of type ${type}`, () => {
      const metadata = report({ path, scan: scanOf([], { asset: { type } }) }).file_metadata[path];
      assert.deepEqual([metadata?.is_model, metadata?.is_dataset], [isModel, isDataset]);
    });
  }
});

Deno.test("SR 2.5 license_files_nearby lists licences beside and up to two folders above", async (t) => {
  const near = (path: string, ...others: string[]) =>
    report(...[path, ...others].map((it) => ({ path: it, scan: scanOf([]) })))
      .file_metadata[path]?.license_files_nearby;
  await t.step("by their names", () => {
    const licences = ["d/LICENSE", "d/licence.txt", "d/COPYING.md", "d/Notice", "d/legal.rst"];
    const others = ["d/LICENSE.py", "d/my-license", "d/unlicense", "d/license.txt.bak"];
    assert.deepEqual(near("d/a.pt", ...licences, ...others), licences);
  });
  await t.step("the nearest first, none below or beyond", () => {
    const found = near(
      "a/b/c/m.pt",
      "LICENSE",
      "a/LICENSE",
      "a/b/LICENSE",
      "a/b/c/LICENSE",
      "a/b/c/d/LICENSE",
      "x/LICENSE",
    );
    assert.deepEqual(found, ["a/b/c/LICENSE", "a/b/LICENSE", "a/LICENSE"]);
  });
  await t.step("not itself", () => {
    assert.deepEqual(near("LICENSE", "COPYING"), ["COPYING"]);
  });
  await t.step("ten at most", () => {
    const names = ["license", "licence", "copying", "notice", "copyright", "legal"];
    const many = names.flatMap((it) => [it, `${it}.txt`, `${it}.md`]);
    assert.equal(near("m.pt", ...many)?.length, 10);
    assert.equal(near("license", ...many.slice(1))?.length, 10);
  });
});

Deno.test("SR 2.5 risk_score ranks by the worst, then by how many there are", () => {
  const rows: [FileCheck[], number][] = [
    [[], 0],
    [[failed({ severity: "debug" })], 0],
    [[failed({ severity: "info" })], 0.1],
    [[failed({ severity: "info" }), failed({ severity: "info", message: "n" })], 0.15],
    [[check({ status: "skipped", incomplete: "cut" })], 0.3],
    [[failed()], 0.4],
    [[failed(), failed({ message: "n" })], 0.55],
    [[failed(), failed({ severity: "critical" })], 0.8],
    [[failed({ severity: "critical" }), failed({ severity: "critical", message: "n" })], 0.9],
  ];
  assert.deepEqual(
    rows.map(([checks]) => reportOn(...checks).file_metadata["a.pkl"]?.risk_score),
    rows.map(([, score]) => score),
  );
});

Deno.test("C 16 scanner_selection is null where every scanner ran, else sorted", () => {
  assert.equal(report().scanner_selection, null);
  const selection = {
    enabled: ["zip", "pickle"],
    excluded: ["b", "a"],
  };
  assert.deepEqual(
    reportOf({ files: [], startTime: 0, duration: 0, selection }).scanner_selection,
    {
      requested_scanner_ids: ["pickle", "zip"],
      enabled_scanner_ids: ["pickle", "zip"],
      excluded_scanner_ids: ["a", "b"],
    },
  );
});

Deno.test("C 16 locationOf() takes a location apart, also where a path holds separators", async (t) => {
  const paths = new Set(["a", "a:b", "dir/c.zip", "p (pos 1)"]);
  const rows: [string, ReturnType<typeof locationOf>][] = [
    ["a", { path: "a" }],
    ["a (pos 7)", { path: "a", position: 7 }],
    ["a:m", { path: "a", member: "m" }],
    ["a:b", { path: "a:b" }],
    ["a:b:m:n (pos 0)", { path: "a:b", member: "m:n", position: 0 }],
    ["dir/c.zip:in/d:e", { path: "dir/c.zip", member: "in/d:e" }],
    ["p (pos 1)", { path: "p (pos 1)" }],
    ["p (pos 1) (pos 2)", { path: "p (pos 1)", position: 2 }],
    ["elsewhere:m (pos 3)", { path: "elsewhere:m", position: 3 }],
  ];
  for (const [text, expected] of rows) {
    await t.step(text, () => assert.deepEqual(locationOf(text, paths), expected));
  }
});

Deno.test("C 16 every rule code says why and what to do, in one sentence each", () => {
  for (const [code, { title, why, advice }] of Object.entries(RULES)) {
    assert.match(code, /^S\d{3,4}$/);
    assert.ok(title.length > 0);
    assert.match(why, /^[A-Z][^.]*(\.[a-z][^.]*)*\.$/, `${code}: ${why}`);
    assert.match(advice, /^[A-Z][^.]*\.$/, `${code}: ${advice}`);
  }
  assert.equal(ruleOf("S101"), RULES.S101);
  for (const unknown of ["S000", "toString", "__proto__", "", null, undefined]) {
    assert.equal(ruleOf(unknown), undefined);
  }
});

const severity = fc.constantFrom("debug", "info", "warning", "critical");
const word = fc.constantFrom("a", "b", "c", "__proto__", "\ud800", "m (pos 1)");
const told = {
  scanner: word,
  name: word,
  message: word,
  location: fc.constantFrom("", ":m", ":m (pos 4)"),
  timestamp: fc.nat(),
};
const fileCheck: fc.Arbitrary<FileCheck> = fc.oneof(
  fc.record({ ...told, status: fc.constant("passed") }),
  fc.record({ ...told, status: fc.constant("skipped") }),
  fc.record({ ...told, status: fc.constant("skipped"), incomplete: word }),
  fc.record({ ...told, status: fc.constant("failed"), severity }),
  fc.record({
    ...told,
    status: fc.constant("failed"),
    severity,
    incomplete: word,
    why: word,
    ruleCode: fc.constantFrom("S101", "S901"),
    details: fc.dictionary(word, fc.string()),
  }),
);
const fileOutcome: fc.Arbitrary<FileOutcome> = fc.oneof(
  fc.record({ path: word, error: word }),
  fc.record({ path: word, scan: fc.array(fileCheck).map((checks) => scanOf(checks)) }),
);
const outcomes = fc.uniqueArray(fileOutcome, { selector: ({ path }) => path });

Deno.test("C 16 holds for any report", async (t) => {
  const property = (holds: (result: Report, files: readonly FileOutcome[]) => void) =>
    fc.assert(fc.property(outcomes, (files) => holds(report(...files), files)));

  await t.step("total − passed − failed is the number skipped", () => {
    property(({ total_checks, passed_checks, failed_checks, checks }) => {
      const skipped = checks.filter(({ status }) => status === "skipped").length;
      assert.equal(total_checks - passed_checks - failed_checks, skipped);
    });
  });
  await t.step("each name stands once for a file, and each issue once", () => {
    property(({ issues, file_metadata, checks }) => {
      const triples = issues.map((it) => JSON.stringify([it.message, it.severity, it.location]));
      assert.equal(new Set(triples).size, triples.length);
      const paths = Object.keys(file_metadata);
      const names = new Set(checks.map(({ name }) => name));
      assert.ok(checks.length <= paths.length * names.size);
    });
  });
  await t.step("every failed check has an issue, and every issue a failed check", () => {
    property(({ issues, checks }, files) => {
      const found = files.flatMap((it) =>
        "scan" in it
          ? it.scan.checks.filter(({ status }) => status === "failed").map(({ message }) => message)
          : [`Could not be scanned: ${it.error}`]
      );
      assert.deepEqual(new Set(issues.map(({ message }) => message)), new Set(found));
      assert.equal(issues.length > 0, checks.some(({ status }) => status === "failed"));
    });
  });
  await t.step("a severity is that of a failed check, and a risk lies between 0 and 1", () => {
    property(({ checks, file_metadata }) => {
      for (const { status, severity } of checks) {
        assert.equal(severity !== null, status === "failed");
      }
      for (const { risk_score = -1 } of Object.values(file_metadata)) {
        assert.ok(risk_score >= 0 && risk_score <= 1);
      }
    });
  });
  await t.step("what was not read through is never called clean", () => {
    property((result) => {
      const unclear = Object.values(result.file_metadata).some((it) => it["scan_outcome"]);
      if (!unclear) return;
      assert.notEqual(exitCode(result), 0);
      const saying = result.checks.filter(({ status, details }) =>
        status !== "passed" && JSON.stringify(details ?? {}).includes("incomplete")
      );
      assert.ok(saying.length > 0);
    });
  });
  await t.step("exit codes: errors, then findings, then doubts", () => {
    property((result, files) => {
      const expected = result.has_errors
        ? 2
        : result.issues.some((it) => it.severity === "critical" || it.severity === "warning")
        ? 1
        : files.length === 0 || !result.success
        ? 2
        : 0;
      assert.equal(exitCode(result), expected);
    });
  });
  await t.step("it is the same after JSON", () => {
    property((result) => assert.deepEqual(JSON.parse(JSON.stringify(result)), result));
  });
});
