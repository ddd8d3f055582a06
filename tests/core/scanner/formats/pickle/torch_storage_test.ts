import * as assert from "node:assert/strict";
import { SCAN_LIMITS } from "../../../../../core/scanner/contract/limits.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { PickleFile } from "../../../../../core/scanner/formats/pickle/pickle_file.ts";
import { binunicode, bytes, gl } from "./pickle_bytes.ts";
import { P2 } from "./pickle_parts.ts";

/** The keys of the storages of a pickle that references one. */
function keysOf(key: string): string[] {
  const id = [binunicode("storage"), gl("torch", "FloatStorage"), binunicode(key)];
  const content = bytes(P2, "(", ...id, binunicode("cpu"), "K\x01tQ.");
  const file = new PickleFile(memorySource(content), SCAN_LIMITS);
  file.walk();
  return [...file.storages.keys()];
}

Deno.test("C 15 storages with overlong keys are not recorded", () => {
  assert.deepEqual(keysOf("0"), ["0"]);
  assert.deepEqual(keysOf("0".repeat(4000)), []);
});
