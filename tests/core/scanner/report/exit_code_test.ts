import * as assert from "node:assert/strict";
import { exitCode } from "../../../../core/scanner/report/exit_code.ts";
import type { FileOutcome } from "../../../../core/scanner/report/report.ts";
import { check, failed, report, scanOf } from "./outcomes.ts";

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
  await t.step("SR 2.4 an issue without a severity is a warning", () => {
    assert.equal(exitCode({ ...report(clean), issues: [{ message: "m" }] }), 1);
  });
});
