import * as assert from "node:assert/strict";
import { Checklist, type Finding } from "../../../../core/scanner/contract/checklist.ts";

const FINDING: Finding = { severity: "warning", message: "Something", ruleCode: "S902" };

Deno.test("SR 2.3 a check that finds nothing is emitted as passed, once", () => {
  const checks = new Checklist<string>({ Path: "No path", Link: "No link" });
  checks.begin("Name", "No name");
  checks.begin("Name", "No name");
  checks.add("Link", FINDING);
  assert.deepEqual([...checks.finish()].map(({ name, status }) => `${name} ${status}`), [
    "Link failed",
    "Path passed",
    "Name passed",
  ]);
});

Deno.test("Checklist emits findings in order, and drops those that repeat a position and message", () => {
  const checks = new Checklist();
  checks.add("A", { ...FINDING, position: 1 });
  checks.add("A", { ...FINDING, position: 1 });
  const emitted = [...checks.emit("B", FINDING), ...checks.emit("A", { ...FINDING, position: 2 })];
  assert.deepEqual(emitted.map(({ name, position }) => [name, position]), [
    ["A", 1],
    ["B", undefined],
    ["A", 2],
  ]);
  assert.deepEqual([...checks.finish()], []);
});

Deno.test("SR 2.3 Checklist emits 50 findings of a group, and the number of the rest", () => {
  const checks = new Checklist();
  for (let position = 0; position < 60; position++) {
    checks.add("A", { ...FINDING, severity: "info", position });
    checks.add("A", { ...FINDING, position });
  }
  const emitted = [...checks.finish()];
  assert.equal(emitted.length, 102);
  assert.deepEqual(
    emitted.slice(-2).map(({ severity, message, ruleCode, details }) => ({
      severity,
      message,
      ruleCode,
      details,
    })),
    [
      {
        severity: "info",
        message: "10 more of this kind",
        ruleCode: "S902",
        details: { count: 10 },
      },
      {
        severity: "warning",
        message: "10 more of this kind",
        ruleCode: "S902",
        details: { count: 10 },
      },
    ],
  );
});

Deno.test("C 16 Checklist emits incomplete findings however many others there are", () => {
  const checks = new Checklist();
  for (let position = 0; position < 60; position++) checks.add("A", { ...FINDING, position });
  checks.add("A", { ...FINDING, incomplete: "truncated" });
  checks.add("A", { ...FINDING, incomplete: "too_large", operational: true });
  const words = [...checks.finish()].map(({ incomplete }) => incomplete).filter(Boolean);
  assert.deepEqual(words, ["truncated", "too_large"]);
});
