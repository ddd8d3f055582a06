import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { ggufScanner } from "../../../../../core/scanner/formats/gguf/scanner.ts";
import { bytesOf, file, num } from "./gguf_bytes.ts";

Deno.test("matches GGUF and GGML by content under any name", () => {
  const matches = (bytes: Uint8Array, name = "x.bin") =>
    ggufScanner.matches({ name, source: memorySource(bytes), depth: 0 });
  assert.equal(matches(file({})), true);
  assert.equal(matches(file({ form: { version: 3, little: false } })), true);
  assert.equal(matches(bytesOf("lmgg", num(4, 32_000))), true);
  assert.equal(matches(bytesOf("GGJT", num(4, 3))), true);
  assert.equal(matches(new Uint8Array(), "A.GGUF"), true);
  assert.equal(matches(bytesOf("GGUF is a format")), false);
  assert.equal(matches(new Uint8Array(3)), false);
});
