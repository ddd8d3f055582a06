import * as assert from "node:assert/strict";
import { looksLikePickle } from "../../../../../core/scanner/formats/pickle/detect.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { seeded } from "../../mutation.ts";
import { bytes } from "./pickle_bytes.ts";
import { P2 } from "./pickle_parts.ts";

const OTHER_CONTENT: readonly (readonly [string, Uint8Array])[] = [
  ["empty", bytes()],
  ["one byte", bytes(".")],
  ["evasion 37: GLOBAL with a name that is not UTF-8", bytes("cmod\n\xff\xfe\n.")],
  ["text", bytes("import os\nprint(os)\n")],
  ["text that begins with STOP", bytes(".TH MAN 1\n.SH NAME\n")],
  ["text that begins with UNICODE", bytes("Version 1.0\nVery good\nindeed\n")],
  ["text that begins with None and STOP", bytes("N. Smith wrote this\n")],
  ["text that begins with two lines of GLOBAL", bytes("cats\ndogs\nand others\n")],
  ["text that begins with GLOBAL and STOP", bytes("c++ is\nfast\n. And more\n")],
  ["JSON", bytes('{"a": [1, 2]}')],
  ["zeros", new Uint8Array(1000)],
  ["weights of one value", new Uint8Array(100_000).fill(0x28)],
  ["weights that begin with PROTO", bytes(P2, "\x3f\x80\x00\x00\x3f", new Uint8Array(100))],
  ["weights that begin with PROTO and a length", bytes(P2, "X\xff\xff\xff\xff", new Uint8Array(9))],
  ["a ZIP archive", bytes("PK\x03\x04", new Uint8Array(100))],
];

Deno.test("looksLikePickle() returns false for text and weights", async (t) => {
  for (const [title, content] of OTHER_CONTENT) {
    await t.step(title, () => assert.equal(looksLikePickle(memorySource(content)), false));
  }
});

Deno.test("looksLikePickle() returns false for random bytes", () => {
  const random = seeded(7);
  for (let i = 0; i < 5000; i++) {
    const content = Uint8Array.from({ length: 400 }, () => random(256));
    if (i % 2 === 0) content.set([0x80, random(6)]);
    assert.equal(looksLikePickle(memorySource(content)), false, content.toHex());
  }
});
