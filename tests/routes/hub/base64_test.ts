import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { joinChunks } from "../../../core/content.ts";
import { decodedBase64 } from "../../../routes/hub/base64.ts";

const encoder = new TextEncoder();

async function decode(text: string): Promise<Uint8Array> {
  return joinChunks(await Array.fromAsync(decodedBase64(encoder.encode(text))));
}

Deno.test("C 20 base64 is decoded in pieces", async () => {
  for (const size of [0, 1, 2, 3, 4, 196_607, 196_608, 196_609, 400_000]) {
    const bytes = new Uint8Array(size).map((_, index) => (index * 7919) >> 3);
    assert.deepEqual(await decode(Buffer.from(bytes).toString("base64")), bytes);
  }
});

Deno.test("C 20 what is not base64 with padding is refused", async () => {
  const long = "QUJD".repeat(65_536);
  for (
    const text of [
      "A",
      "AA",
      "AAA",
      "AA=",
      "AAAA=",
      "AA==AAAA",
      "AB==",
      "QU I=",
      "QUI=\n",
      "QUJ_",
      "QUJ-",
      "QUJé",
      "====",
      `${long.slice(0, -4)}QUI=AAAA`,
      `${long} AAA`,
      `${long}AA`,
    ]
  ) {
    await assert.rejects(decode(text), SyntaxError, text.slice(-20));
  }
});
