import * as assert from "node:assert/strict";
import { readVarint } from "../../../../../core/scanner/readers/protobuf/varint.ts";
import { varint } from "./protobuf_bytes.ts";

Deno.test("readVarint() reads 64-bit varints and rejects longer and truncated ones", () => {
  const numbers = [
    0n,
    1n,
    127n,
    128n,
    2n ** 31n,
    2n ** 49n - 1n,
    2n ** 49n,
    2n ** 53n,
    2n ** 64n - 1n,
  ];
  for (const value of numbers) {
    const encoded = varint(value);
    assert.deepEqual(readVarint(encoded, 0), { value, length: encoded.length }, String(value));
    assert.equal(readVarint(encoded.subarray(0, -1), 0), undefined, `${value} cut off`);
  }
  assert.equal(readVarint(new Uint8Array(11).fill(0x80), 0), undefined);
  const beyond = new Uint8Array(10).fill(0xff).with(9, 0x7f);
  assert.deepEqual(readVarint(beyond, 0), { value: 2n ** 64n - 1n, length: 10 });
  assert.equal(readVarint(varint(1), 1), undefined);
});
