import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { safetensorsScanner } from "../../../../../core/scanner/formats/safetensors/scanner.ts";
import { file } from "./safetensors_bytes.ts";

Deno.test("matches safetensors by content under any name", () => {
  const matches = (bytes: Uint8Array, name = "x.bin") =>
    safetensorsScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(matches(file('{"a":1}')), true);
  assert.equal(matches(new Uint8Array(), "MODEL.SAFETENSORS"), true);
  assert.equal(matches(file('{"a":1}', 0, 2n ** 63n)), false);
  assert.equal(matches(file("[1]")), false);
  assert.equal(matches(new Uint8Array(3)), false);
});
