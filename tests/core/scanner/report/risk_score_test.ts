import * as assert from "node:assert/strict";
import type { FileCheck } from "../../../../core/scanner/contract/file_result.ts";
import { check, failed, reportOn } from "./outcomes.ts";

Deno.test("SR 2.5 risk_score ranks by the worst finding, then by count", () => {
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
