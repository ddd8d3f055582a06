import * as assert from "node:assert/strict";
import { blobPath, isDigest } from "../../../storage/content/paths.ts";

Deno.test("C 12 blobPath() fans out by the first four digits, and accepts digests only", () => {
  const digest = "d41d8cd98f00b204e9800998ecf8427e";
  assert.equal(blobPath(digest), `d4/1d/${digest}`);
  for (
    const bad of [
      "",
      "..",
      "../../../etc/passwd",
      digest.toUpperCase(),
      `${digest}0`,
      `${digest}\n`,
    ]
  ) {
    assert.equal(isDigest(bad), false);
    assert.throws(() => blobPath(bad), TypeError);
  }
});
