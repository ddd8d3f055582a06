import * as assert from "node:assert/strict";
import { compareTensors } from "../../../core/compare/compare_tensors.ts";
import { tensorLine } from "../../../core/scanner/contract/tensor_list.ts";
import type { TensorList } from "../../../core/scanner/mod.ts";

function listOf(...tensors: readonly (readonly [name: string, digit: string])[]): TensorList {
  const lines = tensors.map(([name, digit]) =>
    tensorLine({ name, dtype: "U8", shape: [1], bytes: 1, digest: digit.repeat(64) })
  );
  return { format: "safetensors", sha256: "0".repeat(64), lines: lines.join("\n") };
}

Deno.test("C 29 a name in several files of a model is the same tensor on both sides", async () => {
  const model = [listOf(["x", "1"]), listOf(["x", "2"])];
  const found = await compareTensors(model, model, 10);
  assert.ok(!("reason" in found));
  assert.deepEqual([found.equal, found.changed, found.tensors], [1, 0, []]);
});
