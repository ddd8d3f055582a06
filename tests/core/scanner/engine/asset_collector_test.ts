import * as assert from "node:assert/strict";
import { PASSED, scan, scanner, source } from "./fake_scanners.ts";

Deno.test("SR 2.2 addAssetParts() adds parts of the file, not of its members", () => {
  const listing = scanner("listing", function* (content, context) {
    context.addAssetParts({ tensors: [`t${content.depth}`], contents: [{ size: 3n }] });
    if (content.depth === 0) context.scanMember("in", source("x"));
    context.addAssetParts({ keys: ["k"], ...(content.depth === 0 && { tensors: ["u"] }) });
    yield PASSED;
  });
  assert.deepEqual(scan("x", [listing]).asset, {
    type: "listing",
    tensors: ["t0", "u"],
    keys: ["k"],
    contents: [{ size: 3 }],
  });
});
