import * as assert from "node:assert/strict";
import { PASSED, scan, scanner, source } from "./fake_scanners.ts";

Deno.test("SR 2.5 addMetadata() merges facts; only the pickle counters of members count", () => {
  const reporting = scanner("reporting", function* (content, context) {
    const facts = { opcode_count: 10, max_stack_depth: 4, suspicious_count: 1 };
    if (content.depth > 0) context.addMetadata({ ...facts, max_stack_depth: 9, inner: true });
    else {
      context.addMetadata({ ...facts, format: "first", names: ["a"], parts: { a: 1 } });
      context.scanMember("in", source("x"));
      context.addMetadata({ max_stack_depth: 2, format: "last", names: ["b"], parts: { b: 2 } });
    }
    yield PASSED;
  });
  assert.deepEqual(scan("x", [reporting]).metadata, {
    opcode_count: 20,
    max_stack_depth: 9,
    suspicious_count: 2,
    format: "last",
    names: ["a", "b"],
    parts: { a: 1, b: 2 },
  });
});
