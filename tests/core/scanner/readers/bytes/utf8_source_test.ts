import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import {
  looksLikeText,
  utf8Source,
} from "../../../../../core/scanner/readers/bytes/utf8_source.ts";

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(at * 2, text.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
}

const read = (bytes: Uint8Array) => {
  const { source, ...rest } = utf8Source(memorySource(bytes));
  return { text: new TextDecoder().decode(source.read(0, source.size)), ...rest };
};

Deno.test("utf8Source() decodes each encoding that parsers accept", async (t) => {
  const encoder = new TextEncoder();
  const rows: readonly (readonly [string, Uint8Array, string, number | undefined])[] = [
    ["UTF-8", encoder.encode('{"é": 1}'), '{"é": 1}', 0],
    ["UTF-8 with a mark", encoder.encode("\ufeffa: é"), "a: é", 3],
    ["UTF-16LE with a mark", utf16("\ufeffé", true), "é", undefined],
    ["UTF-16BE with a mark", utf16("\ufeffé", false), "é", undefined],
    ["UTF-16LE without a mark", utf16("a: é", true), "a: é", undefined],
    ["UTF-16BE without a mark", utf16("a: é", false), "a: é", undefined],
    ["a short text", encoder.encode("a"), "a", 0],
    ["no text", new Uint8Array(), "", 0],
  ];
  for (const [title, bytes, text, start] of rows) {
    await t.step(title, () => assert.deepEqual(read(bytes), { text, start }));
  }
});

Deno.test("utf8Source() does not decode UTF-32", () => {
  for (const bytes of [[0xff, 0xfe, 0, 0, 0x61, 0, 0, 0], [0, 0, 0, 0x61], [0x61, 0, 0, 0]]) {
    assert.deepEqual(read(Uint8Array.from(bytes)), {
      text: "",
      start: undefined,
      incomplete: "utf_32",
    });
  }
});

Deno.test("looksLikeText() accepts layout and escape as the only control characters", () => {
  assert.ok(looksLikeText(new TextEncoder().encode("a\t\n\r\f\x1b[0m é")));
  for (const byte of [0, 1, 7, 0x7f]) {
    assert.equal(looksLikeText(Uint8Array.of(0x61, byte)), false, String(byte));
  }
});
