import * as assert from "node:assert/strict";
import type { Check } from "../../../../core/scanner/contract/scanner.ts";
import { checksNamed, emitting, NESTED, PASSED, scan, scanner } from "./fake_scanners.ts";

Deno.test("C 16 only failed checks have a severity", async (t) => {
  const failed: Check = { name: "A", status: "failed", message: "m" };
  const rows: [string, Check, string, string | undefined][] = [
    ["failed with a severity", { ...failed, severity: "info" }, "failed", "info"],
    ["failed without a severity is a warning", failed, "failed", "warning"],
    ["passed", { ...failed, status: "passed", severity: "info" }, "passed", undefined],
    ["skipped", { ...failed, status: "skipped", severity: "info" }, "skipped", undefined],
    [
      "passed but incomplete is skipped",
      { ...failed, status: "passed", incomplete: "cut" },
      "skipped",
      undefined,
    ],
  ];
  for (const [title, check, status, severity] of rows) {
    await t.step(title, () => {
      const [logged] = scan("x", [emitting("a", check)]).checks;
      assert.deepEqual([logged?.status, logged?.severity], [status, severity]);
    });
  }
});

Deno.test("C 16 a location is the members and a byte position", () => {
  const checks = checksNamed(scan("123", [NESTED]), "Structure");
  assert.deepEqual(checks.map((it) => it.location), [
    ":in:in (pos 2)",
    ":in (pos 1)",
    " (pos 0)",
  ]);
});

Deno.test("keeps 1000 checks of a group, and the checks of other groups", () => {
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
