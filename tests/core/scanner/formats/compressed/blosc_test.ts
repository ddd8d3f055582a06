import * as assert from "node:assert/strict";
import { unpackBlosc } from "../../../../../core/scanner/formats/compressed/blosc.ts";
import {
  OutputBuffer,
  OutputFull,
} from "../../../../../core/scanner/readers/compression/output_buffer.ts";
import { wholeScan } from "../../whole_scan.ts";
import { bytes } from "../pickle/pickle_bytes.ts";

const [SNAPPY, ZLIB] = [2, 3];
const NOT_SPLIT = 0x10;

/** A frame whose only block claims to unpack to `bytes`. */
function frame(bytes: number, data: Uint8Array, codec = ZLIB): Uint8Array {
  const packed = new Uint8Array(24 + data.length);
  const view = new DataView(packed.buffer);
  packed.set([2, 1, codec << 5 | NOT_SPLIT, 1]);
  [bytes, bytes, packed.length, 20, data.length].forEach((value, index) =>
    view.setUint32(4 + 4 * index, value, true)
  );
  packed.set(data, 24);
  return packed;
}

Deno.test("C 16 a Blosc block that claims more than may be unpacked is not unpacked", () => {
  let left = 1 << 20;
  const output = new OutputBuffer((bytes) => {
    const granted = Math.min(bytes, left);
    left -= granted;
    return granted;
  });
  // To unpack this data fails otherwise.
  assert.throws(() => unpackBlosc(frame(2 ** 32 - 1, new Uint8Array(100)), output), OutputFull);
  assert.ok(output.bytes.length < 2 << 20);
});

Deno.test("evasion 94: a pickle in Blosc with Snappy is found", () => {
  const payload = "cos\ngetpid\n)R.";
  const data = bytes(payload.length, payload.length - 1 << 2, payload);
  assert.equal(wholeScan("0.0", frame(payload.length, data, SNAPPY)).verdict, "dangerous");
});
