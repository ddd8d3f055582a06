import * as assert from "node:assert/strict";
import type { FileCheck, FileResult } from "../../../../core/scanner/contract/file_result.ts";
import { judge } from "../../../../core/scanner/report/judgment.ts";
import { plainScan } from "../plain_scan.ts";

function failed(change: Partial<FileCheck>): FileCheck {
  return {
    scanner: "pickle",
    name: "Imports",
    status: "failed",
    message: "found",
    location: "",
    timestamp: 0,
    ...change,
  };
}

/** The check that says that no scanner reads a file. */
function unread(message: string): FileCheck {
  const { severity: _, ...check } = failed({ name: "Known Format", status: "skipped", message });
  return check;
}

function resultOf(checks: readonly FileCheck[], change: Partial<FileResult> = {}): FileResult {
  return { ...plainScan(1), checks, ...change };
}

Deno.test("C 18, C 31 judge() names the worst of a result", async (t) => {
  const cases: [string, string, FileResult][] = [
    ["clean", "nothing", resultOf([])],
    ["clean", "an info", resultOf([failed({ severity: "info" })])],
    ["suspicious", "a warning", resultOf([failed({ severity: "warning" })])],
    ["suspicious", "a check without a severity", resultOf([failed({})])],
    [
      "dangerous",
      "a critical finding among others",
      resultOf([failed({ severity: "warning" }), failed({ severity: "critical" })]),
    ],
    ["inconclusive", "an unread part", resultOf([], { inconclusive: ["truncated_stream"] })],
    ["inconclusive", "a limit of the scan", resultOf([], { operationalError: "a limit" })],
    [
      "dangerous",
      "a critical finding before an unread part",
      resultOf([failed({ severity: "critical" })], { inconclusive: ["truncated_stream"] }),
    ],
    [
      "unknown",
      "a format that no scanner reads",
      resultOf([unread("Not scanned: unknown format")]),
    ],
    [
      "unknown",
      "one under the name of a model",
      resultOf([failed({ name: "Known Format", severity: "info" })]),
    ],
    ["clean", "an empty file", resultOf([unread("Not scanned: the file is empty")])],
    [
      "inconclusive",
      "an archive that no scanner reads",
      resultOf([unread("Not scanned: no scanner for 7z")], {
        inconclusive: ["unsupported_format"],
      }),
    ],
    ["clean", "a passed check", resultOf([failed({ status: "passed" })])],
  ];
  for (const [verdict, name, result] of cases) {
    await t.step(`C 18 ${verdict}: ${name}`, () => assert.equal(judge(result).verdict, verdict));
  }
});

Deno.test("C 18 judge() has the worst three findings with their places, each once, without those for debugging", () => {
  const { findings } = judge(resultOf([
    failed({ severity: "debug", message: "debug" }),
    failed({ severity: "info", message: "info" }),
    failed({ severity: "warning", message: "first", ruleCode: "S104" }),
    failed({ severity: "warning", message: "first", ruleCode: "S104", location: " (pos 9)" }),
    failed({ severity: "warning", message: "second" }),
    failed({
      ...{ severity: "critical", message: "x".repeat(5000), ruleCode: "S101" },
      ...{ location: ":a.pkl (pos 3)", why: "It is harmful." },
    }),
  ]));
  assert.deepEqual(findings, [
    {
      ...{ ruleCode: "S101", severity: "critical", message: `${"x".repeat(300)}…` },
      ...{ location: ":a.pkl (pos 3)", why: "It is harmful." },
    },
    { ruleCode: "S104", severity: "warning", message: "first" },
    { ruleCode: null, severity: "warning", message: "second" },
  ]);
});
