import * as assert from "node:assert/strict";
import { ScanStopped } from "../../../../../core/scanner/contract/checkpoint.ts";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { scanFile } from "../../../../../core/scanner/engine/scan.ts";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { bytes } from "./pickle_bytes.ts";
import { scan } from "./scan_pickle.ts";

Deno.test("C 16: exceeding the instruction limit is an operational error", () => {
  const { verdict, failed, metadata } = scan(bytes("(", "N".repeat(200), "t."), {
    limits: { maxOpcodes: 100 },
  });
  assert.equal(verdict, "I");
  assert.deepEqual(failed.map(({ incomplete, operational }) => [incomplete, operational]), [
    ["opcode_limit", true],
  ]);
  assert.equal(metadata.opcode_count, 100);
});

Deno.test("C 16 imports are reported even if the scan times out midway", () => {
  const bytes = new TextEncoder().encode(`cos\nsystem\n0${"K\x010".repeat(200_000)}N.`);
  let reads = 0;
  const scan = scanFile({
    source: memorySource(bytes),
    name: "model.pkl",
    scanners: [pickleScanner],
    limits: SCAN_LIMITS,
    checkpoint() {
      // Hashing and detection take fewer reads.
      if (++reads > 12) throw new ScanStopped();
    },
  });
  assert.deepEqual(scan.inconclusive, ["time_limit"]);
  assert.ok(
    scan.checks.some(({ severity, message }) =>
      severity === "critical" && /os\.system/.test(message)
    ),
  );
});
