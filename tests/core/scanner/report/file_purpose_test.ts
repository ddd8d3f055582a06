import * as assert from "node:assert/strict";
import { report, scanOf } from "./outcomes.ts";

Deno.test("SR 2.5 is_model and is_dataset depend on the extension, then on the format", async (t) => {
  const rows: [string, string, boolean, boolean][] = [
    ["a.gguf", "unknown", true, false],
    ["dir.csv/a.PT", "unknown", true, false],
    ["a.csv", "unknown", false, true],
    ["a.parquet", "pickle", false, true],
    ["a.dat", "pickle", true, false],
    ["a.dat", "unknown", false, false],
    ["README.md", "text", false, false],
  ];
  for (const [path, type, isModel, isDataset] of rows) {
    await t.step(`${path} of type ${type}`, () => {
      const metadata = report({ path, scan: scanOf([], { asset: { type } }) }).file_metadata[path];
      assert.deepEqual([metadata?.is_model, metadata?.is_dataset], [isModel, isDataset]);
    });
  }
});
