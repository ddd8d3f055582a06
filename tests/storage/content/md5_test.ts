import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { Md5, md5 } from "../../../storage/content/md5.ts";
import { noise } from "../../support/random.ts";

const expected = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

Deno.test("md5() agrees with node:crypto on all lengths around blocks and batches", () => {
  const lengths = [
    ...Array.from({ length: 260 }, (_, length) => length),
    ...[65_535, 65_536, 65_537, 65_536 + 64, 200_000],
  ];
  for (const length of lengths) {
    const bytes = noise(length, length + 1);
    assert.equal(md5(bytes), expected(bytes), String(length));
  }
});

Deno.test("Md5 computes the same of bytes in any pieces, and of several contents at once", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(70_000), { maxLength: 12 }), (lengths) => {
      const bytes = noise(lengths.reduce((sum, it) => sum + it, 0), lengths.length + 1);
      const [hash, other] = [new Md5(), new Md5()];
      let at = 0;
      for (const length of lengths) {
        hash.update(bytes.subarray(at, at + length));
        other.update(bytes.subarray(0, length));
        at += length;
      }
      assert.equal(hash.digest().toHex(), expected(bytes));
    }),
    { numRuns: 50 },
  );
});

Deno.test("Md5.updateAll() computes the same as one after the other, of any number of contents", () => {
  const pieces = fc.array(fc.nat(140_000), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 7 }), (contents) => {
      const bytes = contents.map((lengths, index) =>
        lengths.map((length, piece) => noise(length, 10 * index + piece + 1))
      );
      const md5s = contents.map(() => new Md5());
      for (let piece = 0; piece < 3; piece++) {
        Md5.updateAll(md5s.flatMap((md5, index) => {
          const next = bytes[index]?.[piece];
          return next === undefined ? [] : [{ md5, bytes: next }];
        }));
      }
      assert.deepEqual(
        md5s.map((it) => it.digest().toHex()),
        bytes.map((of) => expected(Buffer.concat(of))),
      );
    }),
    { numRuns: 30 },
  );
});
