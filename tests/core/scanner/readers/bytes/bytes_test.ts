import * as assert from "node:assert/strict";
import {
  concatBytes,
  decodeLatin1,
  equalBytes,
  indexesOf,
  readSafeUint64,
  startsWithBytes,
  viewOf,
} from "../../../../../core/scanner/readers/bytes/bytes.ts";
import { utf8FromLatin1 } from "../../../../../core/scanner/readers/bytes/latin1_text.ts";

const ALL = Uint8Array.from({ length: 256 }, (_, byte) => byte);

Deno.test("viewOf() views a part of a larger buffer", () => {
  assert.equal(viewOf(ALL.subarray(1, 5)).getUint32(0), 0x01020304);
  assert.equal(viewOf(ALL.subarray(1, 5)).byteLength, 4);
});

Deno.test("readSafeUint64() returns undefined above 2^53 - 1", () => {
  const number = (value: bigint) => {
    const view = new DataView(new ArrayBuffer(9));
    view.setBigUint64(1, value, true);
    return readSafeUint64(view, 1);
  };
  assert.equal(number(0x0102n), 0x0102);
  assert.equal(number(2n ** 53n - 1n), Number.MAX_SAFE_INTEGER);
  assert.equal(number(2n ** 53n), undefined);
  assert.equal(number(2n ** 64n - 1n), undefined);
});

Deno.test("concatBytes() copies the parts in order", () => {
  const parts = [ALL.subarray(3, 5), new Uint8Array(), ALL.subarray(0, 1)];
  assert.deepEqual(concatBytes(parts), Uint8Array.of(3, 4, 0));
  assert.deepEqual(concatBytes([]), new Uint8Array());
});

Deno.test("equalBytes() and startsWithBytes() compare length and content", () => {
  const bytes = Uint8Array.of(1, 2, 3);
  assert.ok(equalBytes(bytes, Uint8Array.of(1, 2, 3)));
  assert.equal(equalBytes(bytes, Uint8Array.of(1, 2)), false);
  assert.equal(equalBytes(bytes, Uint8Array.of(1, 2, 4)), false);
  assert.ok(startsWithBytes(bytes, []) && startsWithBytes(bytes, [1, 2]));
  assert.equal(startsWithBytes(bytes, [2]), false);
  assert.equal(startsWithBytes(bytes, [1, 2, 3, 4]), false);
});

Deno.test("indexesOf() finds overlapping occurrences", () => {
  const bytes = Uint8Array.of(0, 1, 1, 1, 0);
  assert.deepEqual(indexesOf(bytes.subarray(1), Uint8Array.of(1, 1)), [0, 1]);
  assert.deepEqual(indexesOf(bytes, Uint8Array.of(2)), []);
});

Deno.test("decodeLatin1() keeps one character for each byte", () => {
  const text = decodeLatin1(ALL.subarray(1));
  assert.deepEqual(Array.from(text, (it) => it.charCodeAt(0)), Array.from(ALL.subarray(1)));
});

Deno.test("utf8FromLatin1() decodes the bytes of a text", () => {
  assert.equal(utf8FromLatin1("abc"), "abc");
  assert.equal(utf8FromLatin1(decodeLatin1(new TextEncoder().encode("aé€😀"))), "aé€😀");
  assert.equal(utf8FromLatin1("\xff"), "\ufffd");
});
