import * as assert from "node:assert/strict";
import { parseLenientJson } from "../../../../../core/scanner/readers/json/parse_lenient_json.ts";

Deno.test("parseLenientJson() keeps the last occurrence of a repeated key", () => {
  assert.deepEqual(parseLenientJson('{"a": 1, "a": 2}'), { value: { a: 2 } });
});

Deno.test("parseLenientJson() reads NaN and Infinity as null, but not in strings", () => {
  const text = String.raw`[NaN, -Infinity, "NaN \" Infinity", Infinity]`;
  assert.deepEqual(parseLenientJson(text), { value: [null, null, 'NaN " Infinity', null] });
});

Deno.test("parseLenientJson() returns a fault for malformed and oversized JSON", () => {
  for (const text of ["", "{", "[1,]", '"a', "Nan", "[NaN"]) {
    assert.deepEqual(parseLenientJson(text), { fault: "malformed_json" }, text);
  }
  assert.deepEqual(parseLenientJson("[".repeat(2_000_001)), { fault: "json_value_limit" });
});
