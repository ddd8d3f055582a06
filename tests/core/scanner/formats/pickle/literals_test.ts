import * as assert from "node:assert/strict";
import {
  decodeInteger,
  parseFloatText,
  parseIndexText,
  parseIntegerText,
} from "../../../../../core/scanner/formats/pickle/literals.ts";

Deno.test("parseIntegerText() accepts what either unpickler accepts", () => {
  const rows: readonly (readonly [string, number | bigint | undefined])[] = [
    ["12", 12],
    ["-7", -7],
    [" 5 ", 5],
    ["01", 1],
    ["010", 8],
    ["0x1F", 31],
    ["-0o17", -15],
    ["0b11", 3],
    ["1_000", 1000],
    ["119547037146038801333356", 119547037146038801333356n],
    ["9".repeat(5000), Infinity],
    ["", undefined],
    ["x", undefined],
    ["1__0", undefined],
    ["1.5", undefined],
    ["0x", undefined],
  ];
  for (const [text, value] of rows) assert.equal(parseIntegerText(text), value, text);
});

Deno.test("parseIndexText() and parseFloatText() reject what neither unpickler accepts", () => {
  assert.deepEqual(["0", "+3", " 4 ", "1_0"].map(parseIndexText), [0, 3, 4, 10]);
  assert.deepEqual(["", "-1", "x", "0x1", "1.0"].map(parseIndexText), Array(5).fill(undefined));
  const floats = ["1", "1.5", ".5", "5.", "1e5", "-inf", "nan", "1_0.0"];
  assert.deepEqual(floats.map(parseFloatText), floats.map(() => 0));
  assert.deepEqual(["", "x", ".", "1e", "e5"].map(parseFloatText), Array(5).fill(undefined));
});

Deno.test("decodeInteger() decodes two's complement", () => {
  assert.equal(decodeInteger(new Uint8Array()), 0);
  assert.equal(decodeInteger(Uint8Array.of(0xff)), -1);
  assert.equal(decodeInteger(Uint8Array.of(0x00, 0x80)), -32768);
  assert.equal(decodeInteger(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 1)), 2n ** 64n);
});
