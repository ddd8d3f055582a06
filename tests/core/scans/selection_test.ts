import * as assert from "node:assert/strict";
import { SCANNER_IDS } from "../../../core/scanner/mod.ts";
import { skippedScanners } from "../../../core/scans/selection.ts";

Deno.test("C 15 weights are analyzed only if a request asks for them", () => {
  const skipped = (scanners: string[] | null, weights: boolean) =>
    skippedScanners({ scanners, weights });
  assert.deepEqual(skipped(null, false), ["weights"]);
  assert.deepEqual(skipped(null, true), []);
  const others = SCANNER_IDS.filter((id) => id !== "zip").sort();
  assert.deepEqual(skipped(["zip"], false), others);
  assert.deepEqual(skipped(["zip"], true), others.filter((id) => id !== "weights"));
  assert.deepEqual(skipped(["zip", "weights"], false), others.filter((id) => id !== "weights"));
  assert.throws(() => skipped([], true), /No scanner given/);
  assert.throws(() => skipped(["nonsense"], false), /Unknown scanner "nonsense"/);
});
