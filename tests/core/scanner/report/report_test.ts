import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { exitCode } from "../../../../core/scanner/report/exit_code.ts";
import { type FileOutcome, reportOf } from "../../../../core/scanner/report/report.ts";
import type { Report } from "../../../../schemas/report/report.ts";
import { check, failed, outcomes, report, reportOn, scanOf, sha256 } from "./outcomes.ts";

Deno.test("C 16 total_checks counts merged checks, except failed ones of severity info and debug", () => {
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

Deno.test("C 16 content_hash covers the sorted digests of distinct content", async (t) => {
  const of = (content: string) => scanOf([], { hashes: { sha256: sha256(content) } });
  const digests = [sha256("one"), sha256("two")].sort();
  const expected = sha256(digests.join(""));
  const rows: [string, FileOutcome[], string | null][] = [
    [
      "does not depend on order",
      [{ path: "b", scan: of("two") }, { path: "a", scan: of("one") }],
      expected,
    ],
    ["counts copies once", [
      { path: "a", scan: of("one") },
      { path: "b", scan: of("two") },
      { path: "c", scan: of("one") },
    ], expected],
    [
      "differs from the digest of a single file",
      [{ path: "a", scan: of("one") }],
      sha256(sha256("one")),
    ],
    ["is null if nothing was hashed", [{ path: "a", error: "gone" }], null],
    ["is null without files", [], null],
  ];
  for (const [title, files, hash] of rows) {
    await t.step(title, () => assert.equal(report(...files).content_hash, hash));
  }
});

Deno.test("SR 2.1 counts files, bytes and scanners of all paths, even with the same content", () => {
  const scan = scanOf([failed()], { scanners: ["zip", "pickle"] });
  const other = scanOf([], { scanners: ["pickle", "gguf"], size: 5 });
  const result = report({ path: "a", scan }, { path: "b", scan }, { path: "c", scan: other });
  assert.deepEqual([result.files_scanned, result.bytes_scanned], [3, 25]);
  assert.deepEqual([result.start_time, result.duration], [0.5, 102]);
  assert.deepEqual(result.scanner_names, ["zip", "pickle", "gguf"]);
  assert.deepEqual(result.issues.map(({ location }) => location), ["a", "b"]);
  assert.deepEqual(result.assets.map(({ path, type, size }) => [path, type, size]), [
    ["a", "pickle", 10],
    ["b", "pickle", 10],
    ["c", "pickle", 5],
  ]);
});

Deno.test("C 16 scanner_selection is null if every scanner ran, else sorted", () => {
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

Deno.test("C 16 holds for any report", async (t) => {
  const property = (holds: (result: Report, files: readonly FileOutcome[]) => void) =>
    fc.assert(fc.property(outcomes, (files) => holds(report(...files), files)));

  await t.step("total − passed − failed is the number of skipped checks", () => {
    property(({ total_checks, passed_checks, failed_checks, checks }) => {
      const skipped = checks.filter(({ status }) => status === "skipped").length;
      assert.equal(total_checks - passed_checks - failed_checks, skipped);
    });
  });
  await t.step("each file has one check per name, and each issue is unique", () => {
    property(({ issues, file_metadata, checks }) => {
      const triples = issues.map((it) => JSON.stringify([it.message, it.severity, it.location]));
      assert.equal(new Set(triples).size, triples.length);
      const paths = Object.keys(file_metadata);
      const names = new Set(checks.map(({ name }) => name));
      assert.ok(checks.length <= paths.length * names.size);
    });
  });
  await t.step("every failed check has an issue and vice versa", () => {
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
  await t.step("only failed checks have a severity, and risks are from 0 to 1", () => {
    property(({ checks, file_metadata }) => {
      for (const { status, severity } of checks) {
        assert.equal(severity !== null, status === "failed");
      }
      for (const { risk_score = -1 } of Object.values(file_metadata)) {
        assert.ok(risk_score >= 0 && risk_score <= 1);
      }
    });
  });
  await t.step("incomplete scans are never clean", () => {
    property((result) => {
      const unclear = Object.values(result.file_metadata).some((it) => it["scan_outcome"]);
      if (!unclear) return;
      assert.notEqual(exitCode(result), 0);
      const incomplete = result.checks.filter(({ status, details }) =>
        status !== "passed" && JSON.stringify(details ?? {}).includes("incomplete")
      );
      assert.ok(incomplete.length > 0);
    });
  });
  await t.step("exit codes rank errors, findings, then incomplete scans", () => {
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
  await t.step("JSON leaves it unchanged", () => {
    property((result) => assert.deepEqual(JSON.parse(JSON.stringify(result)), result));
  });
});
