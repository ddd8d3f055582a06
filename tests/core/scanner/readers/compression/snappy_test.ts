import * as assert from "node:assert/strict";
import {
  DamagedData,
  OutputBuffer,
  OutputFull,
} from "../../../../../core/scanner/readers/compression/output_buffer.ts";
import { unpackSnappy } from "../../../../../core/scanner/readers/compression/snappy.ts";
import { bytes } from "../../formats/pickle/pickle_bytes.ts";
import { mutated, seeded } from "../../mutation.ts";

/** 40 times `N0`, then a call of os.system, by pyarrow 26.0.1. */
const PACKED = Uint8Array.fromBase64(
  "egROMP4CADYCAKRjb3MKc3lzdGVtCihTJ2VjaG8gc3Ryb25ncm9vbSBmaXh0dXJlJwp0Ui4=",
);
const UNPACKED = `${"N0".repeat(40)}cos\nsystem\n(S'echo strongroom fixture'\ntR.`;

const unlimited = () => new OutputBuffer((bytes) => bytes);
const textOf = (output: OutputBuffer) => new TextDecoder("latin1").decode(output.content());

Deno.test("Snappy is unpacked as its library packed it", () => {
  const output = unlimited();
  assert.equal(unpackSnappy(PACKED, output), PACKED.length);
  assert.equal(textOf(output), UNPACKED);
});

Deno.test("Snappy: literals and copies of every length", () => {
  const long = "x".repeat(300);
  const rows: readonly (readonly [Uint8Array, string])[] = [
    [bytes(3, 2 << 2, "abc"), "abc"],
    [bytes(0xac, 2, 61 << 2, 43, 1, long), long],
    [bytes(8, 2 << 2, "abc", 1 | 1 << 2, 3), "abcabcab"],
    [bytes(5, 2 << 2, "abc", 2 | 1 << 2, 3, 0), "abcab"],
    [bytes(5, 2 << 2, "abc", 3 | 1 << 2, 3, 0, 0, 0), "abcab"],
    [bytes(0), ""],
  ];
  for (const [packed, unpacked] of rows) {
    const output = unlimited();
    unpackSnappy(packed, output);
    assert.equal(textOf(output), unpacked);
  }
});

Deno.test("C 15 damaged Snappy keeps what precedes the damage", () => {
  const damaged = [
    bytes(),
    bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff),
    bytes(5, 4 << 2, "abc"),
    bytes(5, 2 << 2, "abc", 2 | 1 << 2, 4, 0),
    bytes(5, 2 << 2, "abc", 2 | 1 << 2, 0, 0),
    bytes(9, 2 << 2, "abc"),
  ];
  for (const packed of damaged) assert.throws(() => unpackSnappy(packed, unlimited()), DamagedData);
  const output = unlimited();
  assert.throws(() => unpackSnappy(PACKED.subarray(0, -3), output), DamagedData);
  assert.ok(UNPACKED.startsWith(textOf(output)) && output.length > 100);
});

Deno.test("C 15 no mutation of Snappy throws anything else, or takes more than is granted", () => {
  const random = seeded(7);
  for (let round = 0; round < 2000; round++) {
    const output = new OutputBuffer(() => 0);
    const granted = new OutputBuffer((count) => Math.min(count, 1 << 16));
    for (const buffer of [output, granted]) {
      try {
        unpackSnappy(mutated(PACKED, random), buffer);
      } catch (error) {
        assert.ok(error instanceof DamagedData || error instanceof OutputFull, `${error}`);
      }
    }
    assert.equal(output.length, 0);
  }
});
