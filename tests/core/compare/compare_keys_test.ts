import * as assert from "node:assert/strict";
import { compareKeys } from "../../../core/compare/compare_keys.ts";

Deno.test("C 29 keys of any name are compared, also those of prototypes", async () => {
  const from = JSON.parse('{"__proto__":{"a":1},"constructor":1,"a.b":[[1]],"":2}');
  const to = JSON.parse('{"__proto__":{"a":2},"toString":1,"a.b":[[2]],"":3}');
  const { keys } = await compareKeys(from, to, 10);
  assert.deepEqual(keys.map(({ key, action }) => [key, action]), [
    ["__proto__.a", "changed"],
    ["constructor", "removed"],
    ['["a.b"][0][0]', "changed"],
    ['[""]', "changed"],
    ["toString", "added"],
  ]);
});

Deno.test("C 29 values of other kinds are compared as a whole, and bounds hold", async () => {
  const { keys } = await compareKeys([1], { 0: 1 }, 10);
  assert.deepEqual(keys, [{ key: "", action: "changed", from: "[1]", to: '{"0":1}' }]);
  assert.deepEqual(await compareKeys({ a: null }, { a: null }, 10), { keys: [], leftOut: 0 });
  const long = await compareKeys({}, { a: "x".repeat(5000), ["k".repeat(2000)]: 1 }, 10);
  assert.deepEqual(long.keys.map(({ key, to }) => [key.length, to?.length]), [[1, 1001], [
    501,
    1,
  ]]);
  const many = Array.from({ length: 5000 }, (_, index) => index);
  const { keys: shown, leftOut } = await compareKeys(many, many.map((it) => -it - 1), 7);
  assert.deepEqual([shown.length, leftOut], [7, 4993]);
});
