import * as assert from "node:assert/strict";
import { reportOf } from "../../../../core/scanner/report/report.ts";
import { check, failed, report, scanOf, sha256 } from "./outcomes.ts";

Deno.test("C 16 a file that could not be read has a failed check and no hash", () => {
  const result = report(
    { path: "a", error: "permission denied" },
    { path: "b", scan: scanOf([check()]) },
  );
  assert.deepEqual([result.files_scanned, result.bytes_scanned], [1, 10]);
  assert.deepEqual(result.assets[0], { path: "a", type: "error" });
  assert.equal(result.checks[0]?.status, "failed");
  assert.match(result.issues[0]?.message ?? "", /permission denied/);
  assert.equal(result.issues[0]?.location, "a");
  const metadata = result.file_metadata["a"];
  assert.equal(metadata?.file_hashes, undefined);
  assert.equal(metadata?.["scan_outcome"], "inconclusive");
  assert.equal(metadata["operational_error"], true);
  assert.equal(metadata.scan_timestamp, 102.5);
  assert.equal(result.content_hash, sha256(sha256("content")));
});

Deno.test("C 16 content that was not fully read is never reported as clean", () => {
  const cut = check({ status: "skipped", incomplete: "truncated_stream" });
  const { file_metadata, checks } = report(
    { path: "a", scan: scanOf([check(), cut]) },
    { path: "b", scan: scanOf([check()]) },
  );
  assert.equal(file_metadata["a"]?.["scan_outcome"], "inconclusive");
  assert.deepEqual(file_metadata["a"]["scan_outcome_reasons"], ["truncated_stream"]);
  assert.equal(file_metadata["a"].risk_score, 0.3);
  assert.equal(checks[0]?.status, "skipped");
  assert.deepEqual(checks[0].details?.["incomplete"], ["truncated_stream"]);
  assert.equal("scan_outcome" in (file_metadata["b"] ?? {}), false);
});

Deno.test("SR 2.2 and 2.5 assets and metadata contain what scanners reported", () => {
  const scan = scanOf([], {
    asset: { type: "safetensors", tensors: ["w"], keys: ["k"], contents: [{ name: "m" }] },
    metadata: { opcode_count: 3, format: "x", file_size: 99, is_model: false },
  });
  const result = report({ path: "a.safetensors", scan });
  assert.deepEqual(result.assets, [{
    path: "a.safetensors",
    type: "safetensors",
    size: 10,
    is_streamed: false,
    tensors: ["w"],
    keys: ["k"],
    contents: [{ name: "m" }],
  }]);
  assert.deepEqual(result.file_metadata["a.safetensors"], {
    opcode_count: 3,
    format: "x",
    file_size: 10,
    file_hashes: scan.hashes,
    license_files_nearby: [],
    is_model: false,
    is_dataset: false,
    risk_score: 0,
    scan_timestamp: 1,
  });
});

Deno.test("C 16 the times of a reused result are moved into those of the scan", async (t) => {
  const times = { startTime: 100, duration: 10 };
  for (const [time, shown] of [[5, 100], [105, 105], [200, 110]] as const) {
    await t.step(`C 16 ${time} becomes ${shown}`, () => {
      const scan = scanOf([failed({ timestamp: time })], { timestamp: time });
      const { checks, issues, file_metadata } = reportOf({
        ...times,
        files: [{ path: "a", scan }],
      });
      assert.deepEqual(
        [checks[0]?.timestamp, issues[0]?.timestamp, file_metadata["a"]?.scan_timestamp],
        [shown, shown, shown],
      );
    });
  }
});
