import * as assert from "node:assert/strict";
import { redactedExcerpt } from "../../../../../core/scanner/knowledge/secrets/redacted_excerpt.ts";

Deno.test("an excerpt is short, on one line and without control characters", () => {
  assert.equal(redactedExcerpt("a\n\tb\x00\x1b[31mc\u202ed"), "a b\ufffd\ufffd[31mc\ufffdd");
  assert.equal(redactedExcerpt("é".repeat(500)).length, 101);
});
