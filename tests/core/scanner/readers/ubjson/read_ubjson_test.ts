import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { readUbjson } from "../../../../../core/scanner/readers/ubjson/read_ubjson.ts";
import { MalformedError } from "../../../../../core/scanner/readers/malformed.ts";

/** Bytes of a text in which each character is one byte. */
function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (it) => it.charCodeAt(0));
}

function read(text: string): { values: unknown[][]; end: number } {
  const values: unknown[][] = [];
  const reader = readUbjson(memorySource(bytesOf(text)));
  let next = reader.next();
  for (; !next.done; next = reader.next()) {
    const { path, value, index } = next.value;
    values.push([path.join("."), value, ...index === undefined ? [] : [index]]);
  }
  return { values, end: next.value };
}

Deno.test("C 16 readUbjson reads texts, numbers, words and lists with their paths", () => {
  const text = "{i\x01a{U\x01bSi\x02hii\x01cT}i\x01d[i\x01NI\x01\x00Z]" +
    "i\x01e[$l#i\x02\x00\x00\x00\x07\xff\xff\xff\xfei\x01f[$d#i\x01\x3f\x80\x00\x00i\x01gCx}!";
  assert.deepEqual(read(text), {
    values: [
      ["a.b", "hi"],
      ["a.c", true],
      ["d", 1, 0],
      ["d", 256, 1],
      ["d", null, 2],
      ["e", { count: 2, min: -2, max: 7 }],
      ["f", { count: 1 }],
      ["g", "x"],
    ],
    end: text.length - 1,
  });
});

Deno.test("C 16 readUbjson reads objects with a type and a count", () => {
  assert.deepEqual(read("{$U#i\x02i\x01a\x05i\x01b\x06").values, [["a", 5], ["b", 6]]);
  assert.deepEqual(read("[#i\x02i\x05[]").values, [["", 5, 0]]);
});

Deno.test("C 16 readUbjson stops at what is cut off, unknown, too long or too deep", () => {
  const cases: [string, string][] = [
    ["{i\x05ab", "truncated"],
    ["[$l#l\x7f\xff\xff\xff", "truncated"],
    ["[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff", "truncated"],
    ["[$T#l\x7f\xff\xff\xff", "value_limit"],
    ["Si\xff", "malformed_ubjson"],
    ["?", "malformed_ubjson"],
    ["[$i?", "malformed_ubjson"],
    ["[".repeat(200), "nesting_limit"],
  ];
  for (const [text, reason] of cases) {
    assert.throws(
      () => read(text),
      (error) => error instanceof MalformedError && error.reason === reason,
      reason,
    );
  }
});
