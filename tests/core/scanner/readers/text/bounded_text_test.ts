import * as assert from "node:assert/strict";
import { MAX_STRING_BYTES } from "../../../../../core/scanner/readers/document_event.ts";
import { BoundedText } from "../../../../../core/scanner/readers/text/bounded_text.ts";

Deno.test("BoundedText decodes the bytes and characters that it collects", () => {
  const text = new BoundedText();
  text.append("_\xc3\xa9_", 1, 3);
  text.appendByte(0x0a);
  for (const code of [0x41, 0xe9, 0x20ac, 0x1f600, 0xd800, 0x110000]) text.appendCodePoint(code);
  assert.equal(text.toString(), "é\nAé€😀\ufffd\ufffd");
  assert.equal(text.isCut, false);
  text.clear();
  assert.equal(text.toString(), "");
});

Deno.test("BoundedText keeps a limited number of bytes, and no half of a character", () => {
  const text = new BoundedText();
  text.append("x".repeat(MAX_STRING_BYTES - 1), 0, MAX_STRING_BYTES - 1);
  text.appendCodePoint(0xe9);
  text.append("x".repeat(MAX_STRING_BYTES), 0, MAX_STRING_BYTES);
  assert.equal(text.isCut, true);
  assert.equal(text.toString(), "x".repeat(MAX_STRING_BYTES - 1));
});
