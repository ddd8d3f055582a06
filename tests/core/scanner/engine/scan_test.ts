import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { emitting, PASSED, scan, scanner, source } from "./fake_scanners.ts";

Deno.test("scanFile() runs the matching scanners in the given order", () => {
  const other = scanner("other", function* () {}, () => false);
  const first = emitting("second", PASSED);
  const result = scan("x", [first, other, emitting("first", PASSED, PASSED)]);
  assert.deepEqual(result.scanners, ["second", "first"]);
  assert.deepEqual(result.checks.map((it) => it.scanner), ["second", "first", "first"]);
  assert.deepEqual(result.checks[0], {
    scanner: "second",
    ...PASSED,
    location: "",
    timestamp: 7.5,
  });
  assert.equal(result.asset.type, "second");
  assert.deepEqual(result.inconclusive, []);
});

Deno.test("structured clone and JSON leave any FileResult unchanged", () => {
  const value = fc.anything({
    withBigInt: true,
    withTypedArray: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withNullPrototype: true,
    withUnicodeString: true,
  });
  const facts = fc.dictionary(fc.string(), value);
  fc.assert(
    fc.property(facts, facts, fc.string({ unit: "binary" }), (details, reported, message) => {
      const hostile = scanner("hostile", function* (content, context) {
        context.addMetadata({
          ...reported,
          ["__proto__"]: { polluted: 1 },
          call: () => 1,
          gone: undefined,
        });
        context.addAssetParts({ contents: [reported] });
        if (content.depth === 0) context.scanMember(message, source("x"));
        yield { name: "A", status: "failed", severity: "info", message, details };
      });
      const result = scan("x", [hostile]);
      assert.deepEqual(structuredClone(result), result);
      assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
      assert.equal(Object.hasOwn(result.metadata, "__proto__"), true);
    }),
  );
});
