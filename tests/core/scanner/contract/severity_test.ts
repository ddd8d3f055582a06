import * as assert from "node:assert/strict";
import * as v from "valibot";
import {
  compareSeverity,
  countBySeverity,
  isFinding,
  SEVERITIES,
  severityOf,
} from "../../../../core/scanner/contract/severity.ts";
import { Severity } from "../../../../schemas/report/report.ts";

Deno.test("SR 2.4 severities are ordered, worst first", () => {
  assert.deepEqual(SEVERITIES, ["critical", "warning", "info", "debug"]);
  assert.deepEqual(SEVERITIES.toSorted(), Severity.options.toSorted());
  assert.deepEqual(SEVERITIES.toReversed().sort(compareSeverity), SEVERITIES);
});

Deno.test("C 16 warnings and worse are findings", () => {
  assert.deepEqual(SEVERITIES.filter(isFinding), ["critical", "warning"]);
});

Deno.test("SR 2.4 a severity that is left out or null is a warning", () => {
  assert.deepEqual([{}, { severity: null }].map(severityOf), ["warning", "warning"]);
  assert.equal(severityOf({ severity: "debug" }), "debug");
  const issues = [{ message: "a" }, { message: "b", severity: v.parse(Severity, "info") }];
  assert.deepEqual(countBySeverity(issues), { critical: 0, warning: 1, info: 1, debug: 0 });
});
