import * as assert from "node:assert/strict";
import type { FileCheck } from "../../../../core/scanner/contract/file_result.ts";
import { RULES } from "../../../../core/scanner/contract/rules.ts";
import { check, failed, report, reportOn, scanOf } from "./outcomes.ts";

Deno.test("C 16 checks of one file with the same name are merged", async (t) => {
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
    ["leaves a single check unchanged", [critical], {
      status: "failed",
      severity: "critical",
      message: "os.system",
      location: "a.pkl:m (pos 4)",
      details: { name: "os.system" },
      rule_code: "S101",
      why: RULES.S101.why,
      timestamp: 9,
    }],
    ["the worst represents the group in any order", [info, passed, critical], {
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
    ["takes the rule code of any check that has one", [failed({ message: "x" }), info], {
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
    ["keeps a message that all have in common", [
      failed({ location: ":a" }),
      failed({ location: ":b" }),
    ], {
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
    ["has passed if any passed and none failed", [
      skipped,
      passed,
      check({ message: "fine", timestamp: 3 }),
    ], {
      status: "passed",
      message: "Import completed successfully",
      location: "a.pkl",
      details: { component_count: 3 },
      timestamp: 3,
    }],
    ["has not passed if one is incomplete", [passed, cut, passed], {
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
    ["is skipped if all were skipped", [skipped, check({ status: "skipped", message: "empty" })], {
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
  await t.step("does not merge across names or files", () => {
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
