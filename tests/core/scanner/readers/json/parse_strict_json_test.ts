import * as assert from "node:assert/strict";
import { JsonError } from "../../../../../core/scanner/readers/json/strict_cursor.ts";
import { parseStrictJson } from "../../../../../core/scanner/readers/json/parse_strict_json.ts";

function codeOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof JsonError) return error.code;
    throw error;
  }
  return "read";
}

Deno.test("parseStrictJson() reads JSON as JSON.parse does", async (t) => {
  const texts = [
    "null",
    " true ",
    "-0.5e+3",
    "0",
    "1e400",
    '"a\\u0041\\n\\/\\"\\ud83d\\ude00"',
    '"\u007f\u2028ä"',
    '{"a":[1,{"b":[]},"c"],"":{},"d":false}',
    "[[],[[]],\t\r\n 1 , 2]",
    "9007199254740991",
  ];
  for (const text of texts) {
    await t.step(text, () => {
      assert.equal(JSON.stringify(parseStrictJson(text).value), JSON.stringify(JSON.parse(text)));
      const bytes = new TextEncoder().encode(text);
      assert.equal(JSON.stringify(parseStrictJson(bytes).value), JSON.stringify(JSON.parse(text)));
    });
  }
});

Deno.test("parseStrictJson() refuses invalid JSON and JSON beyond the limits", async (t) => {
  const refused: [string | Uint8Array, string][] = [
    ["", "malformed"],
    ["{", "malformed"],
    ["[1,]", "malformed"],
    ['{"a":1,}', "malformed"],
    ["{'a':1}", "malformed"],
    ["{a:1}", "malformed"],
    ["01", "malformed"],
    ["1.", "malformed"],
    ["+1", "malformed"],
    ["NaN", "malformed"],
    ["nul", "malformed"],
    ['"a', "malformed"],
    ['"\n"', "malformed"],
    ['"\\x41"', "malformed"],
    ['"\\u00g0"', "malformed"],
    ["1 2", "malformed"],
    ["\ufeff1", "malformed"],
    ["// c\n1", "malformed"],
    ["\u00a01", "malformed"],
    [Uint8Array.of(0x22, 0xff, 0x22), "not_utf8"],
    ["[".repeat(100_000), "too_deep"],
    ['{"a":'.repeat(100_000), "too_deep"],
    ["[" + "0,".repeat(1_000_000) + "0]", "too_many_values"],
  ];
  for (const [text, code] of refused) {
    await t.step(`${text.slice(0, 12)} is ${code}`, () => {
      assert.equal(codeOf(() => parseStrictJson(text)), code);
    });
  }
  await t.step("refuses a long text without reading it", () => {
    assert.equal(
      codeOf(() => parseStrictJson("[1]", { maxLength: 2, maxDepth: 1, maxValues: 9 })),
      "too_long",
    );
  });
});

Deno.test("parseStrictJson() reports repeated keys by path and keeps the last one", () => {
  const text = '{"a":1,"b":[0,{"c":1,"c":2}],"a":3,"\\u0061":4}';
  const { value, duplicateKeys } = parseStrictJson(text);
  assert.deepEqual(duplicateKeys, ["b[1].c", "a", "a"]);
  assert.equal(JSON.stringify(value), '{"a":4,"b":[0,{"c":2}]}');
  const many = `{${'"k":0,'.repeat(5000)}"k":1}`;
  assert.equal(parseStrictJson(many).duplicateKeys.length, 100);
});

Deno.test("parseStrictJson() treats the keys of Object.prototype as ordinary keys", () => {
  const { value, duplicateKeys } = parseStrictJson('{"__proto__":{"x":1},"constructor":2}');
  assert.deepEqual(duplicateKeys, []);
  assert.ok(typeof value === "object" && value !== null);
  assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
  assert.equal("x" in value, false);
  assert.equal("toString" in value, false);
});

Deno.test("parseStrictJson() reads 64-bit integers exactly", () => {
  const { value } = parseStrictJson("[9007199254740993, 18446744073709551615, -9007199254740993]");
  assert.deepEqual(value, [9007199254740993n, 18446744073709551615n, -9007199254740993n]);
  assert.equal(parseStrictJson("1" + "0".repeat(5000)).value, Infinity);
});
