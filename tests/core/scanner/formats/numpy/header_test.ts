import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { numpyScanner } from "../../../../../core/scanner/formats/numpy/scanner.ts";
import { file, header } from "./npy_bytes.ts";

Deno.test("matches arrays by content under any name", () => {
  const matches = (bytes: Uint8Array, name = "x.bin") =>
    numpyScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(matches(file(header("'<f4'", "()"), 4)), true);
  assert.equal(matches(new Uint8Array(), "A.NPY"), true);
  assert.equal(matches(Uint8Array.of(0x93, 0x4e, 0x55)), false);
});
