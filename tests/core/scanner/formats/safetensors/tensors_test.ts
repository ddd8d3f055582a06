import * as assert from "node:assert/strict";
import { verdict } from "../../verdict.ts";
import { failures } from "../format_scan.ts";
import { file, scanFile, tensor } from "./safetensors_bytes.ts";

Deno.test("every type of the format has its size", async (t) => {
  const eighths: [string, number][] = [
    ["F4", 4],
    ["F6_E2M3", 6],
    ["F6_E3M2", 6],
    ...["BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"].map((d): [string, number] => [d, 8]),
    ...["I16", "U16", "F16", "BF16"].map((d): [string, number] => [d, 16]),
    ...["I32", "U32", "F32"].map((d): [string, number] => [d, 32]),
    ...["F64", "I64", "U64", "C64"].map((d): [string, number] => [d, 64]),
  ];
  for (const [dtype, size] of eighths) {
    await t.step(dtype, () => {
      const fits = file(`{"a":${tensor(dtype, [4, 2], 0, size)}}`, size);
      assert.equal(verdict(scanFile(fits).checks), "OK");
      const wrong = file(`{"a":${tensor(dtype, [4, 3], 0, size)}}`, size);
      const { checks } = scanFile(wrong);
      assert.equal(
        failures(checks).map(({ severity, name }) => `${severity} ${name}`).join(),
        "critical Safetensors Tensor Size",
      );
    });
  }
});

Deno.test("a shape that overflows 64 bits has its own rule", () => {
  const bytes = file(`{"a":${tensor("U8", ["4294967296", "4294967296"], 0, 0)}}`);
  const { checks } = scanFile(bytes);
  assert.equal(checks.find(({ status }) => status === "failed")?.ruleCode, "S804");
});

Deno.test("an empty tensor can be anywhere", () => {
  const header = `{"a":${tensor("U8", [8], 0, 8)},"b":${tensor("U8", [0], 4, 4)}}`;
  assert.equal(verdict(scanFile(file(header, 8)).checks), "OK");
});

Deno.test("thousands of faults give a bounded number of checks, including the worst", () => {
  const entries = Array.from({ length: 20_000 }, (_, i) => `"${i}":${tensor("U8", [1], 0, 2 + i)}`);
  const { checks, tensors } = scanFile(file(`{${entries}}`, 20_001));
  assert.equal(verdict(checks), "C");
  assert.ok(checks.length < 200, `${checks.length} checks`);
  assert.equal(tensors.length, 10_000);
});
