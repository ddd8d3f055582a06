import * as assert from "node:assert/strict";
import { pathEscape } from "../../../../core/scanner/knowledge/file_reference.ts";

Deno.test("pathEscape() describes how a path leaves the model's folder", () => {
  const rows: readonly (readonly [path: string, escape: string | undefined])[] = [
    ["weights.bin", undefined],
    ["data/weights..bin", undefined],
    ["../weights.bin", "a path with .."],
    ["data/../../weights.bin", "a path with .."],
    ["data\\..\\weights.bin", "a path with .."],
    ["%2e%2e%2fweights.bin", "a path with .."],
    ["/etc/passwd", "an absolute path"],
    ["%2fetc/passwd", "an absolute path"],
    ["C:weights.bin", "an absolute path"],
    ["https://example.org/x", "a URL"],
    ["file:x", "a URL"],
    ["a\0b", "a path with a NUL byte"],
  ];
  for (const [path, escape] of rows) assert.equal(pathEscape(path), escape, path);
});
