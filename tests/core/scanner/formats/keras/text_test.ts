import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { verdict } from "../../verdict.ts";
import { scan } from "../format_scan.ts";
import { HARMFUL_CODE } from "../marshalled_code.ts";
import { lambdaLayer, model } from "./keras_configs.ts";

Deno.test("C 16 JSON is read in every encoding that Python accepts", async (t) => {
  const content = JSON.stringify(model(lambdaLayer(HARMFUL_CODE)));
  const utf16 = Buffer.from(content, "utf16le");
  const utf32 = Buffer.alloc(content.length * 4);
  [...content].forEach((letter, index) => utf32.writeUInt32LE(letter.charCodeAt(0), index * 4));
  const mark = (hex: string, bytes: Uint8Array) => Buffer.concat([Buffer.from(hex, "hex"), bytes]);
  const encodings: [string, Uint8Array][] = [
    ["UTF-8 with a byte order mark", mark("efbbbf", Buffer.from(content))],
    ["UTF-16 LE", utf16],
    ["UTF-16 LE with a byte order mark", mark("fffe", utf16)],
    ["UTF-16 BE", Buffer.from(utf16).swap16()],
    ["UTF-16 BE with a byte order mark", mark("feff", Buffer.from(utf16).swap16())],
    ["UTF-32 LE", utf32],
    ["UTF-32 LE with a byte order mark", mark("fffe0000", utf32)],
    ["UTF-32 BE", Buffer.from(utf32).swap32()],
    ["UTF-32 BE with a byte order mark", mark("0000feff", Buffer.from(utf32).swap32())],
  ];
  for (const [name, bytes] of encodings) {
    await t.step(name, () => {
      const source = memorySource(new Uint8Array(bytes));
      assert.equal(kerasScanner.matches({ source, name: "x", depth: 0 }), true);
      assert.equal(verdict(scan(kerasScanner, source).checks), "C");
    });
  }
});
