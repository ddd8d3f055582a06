import * as assert from "node:assert/strict";
import { RULES } from "../../../../core/scanner/contract/rules.ts";
import { check, failed, reportOn } from "./outcomes.ts";

Deno.test("C 16 each failed check has an issue with the same content", () => {
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
