import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { unpackBzip2 } from "../../../../../core/scanner/readers/compression/bzip2.ts";
import { unpackLz4 } from "../../../../../core/scanner/readers/compression/lz4.ts";
import { unpackLzma } from "../../../../../core/scanner/readers/compression/lzma.ts";
import {
  DamagedData,
  OutputBuffer,
  OutputFull,
  UnsupportedData,
} from "../../../../../core/scanner/readers/compression/output_buffer.ts";
import { unpackXz } from "../../../../../core/scanner/readers/compression/xz.ts";
import { mutated, seeded } from "../../mutation.ts";

const models = (path: string) =>
  Deno.readFileSync(new URL(`../../../../fixtures/models/${path}`, import.meta.url));

/** The same pickle, packed by the libraries of each format. */
const PACKED = [
  ["bz2", unpackBzip2],
  ["xz", unpackXz],
  ["lzma", unpackLzma],
  ["lz4", unpackLz4],
] as const;

const unlimited = () => new OutputBuffer((bytes) => bytes);

Deno.test("each decoder unpacks what its library packed", async (t) => {
  const contents = PACKED.map(([extension, unpack]) => {
    const packed = models(`archive/plain.pkl.${extension}`);
    const output = unlimited();
    assert.equal(unpack(packed, output), packed.length, extension);
    return [extension, Buffer.from(output.content())] as const;
  });
  const [, first = Buffer.alloc(0)] = contents[0] ?? [];
  assert.ok(first.length > 500);
  for (const [extension, content] of contents) {
    await t.step(extension, () => assert.deepEqual(content, first));
  }
});

Deno.test("two streams in a row are both unpacked", async (t) => {
  for (const [extension, unpack] of PACKED) {
    if (extension === "lzma") continue;
    await t.step(extension, () => {
      const packed = models(`archive/plain.pkl.${extension}`);
      const [one, two] = [unlimited(), unlimited()];
      unpack(packed, one);
      unpack(Buffer.concat([packed, packed]), two);
      assert.equal(two.length, 2 * one.length);
    });
  }
});

Deno.test("what precedes damage is kept", async (t) => {
  for (const [extension, unpack] of PACKED) {
    await t.step(extension, () => {
      const packed = models(`archive/plain.pkl.${extension}`);
      const output = unlimited();
      assert.throws(() => unpack(packed.subarray(0, -40), output), DamagedData);
      if (extension !== "bz2") assert.ok(output.length > 0);
    });
  }
});

Deno.test("a buffer takes no more than it is granted", async (t) => {
  for (const [extension, unpack] of PACKED) {
    await t.step(extension, () => {
      let left = 300;
      const output = new OutputBuffer((bytes) => {
        const granted = Math.min(bytes, left);
        left -= granted;
        return granted;
      });
      const packed = models(`archive/plain.pkl.${extension}`);
      assert.throws(() => unpack(packed, output), OutputFull);
      assert.ok(output.length <= 300);
    });
  }
});

Deno.test("mutations fail in known ways, within bounds", async (t) => {
  for (const [extension, unpack] of PACKED) {
    await t.step(extension, () => {
      const packed = models(`archive/plain.pkl.${extension}`);
      const random = seeded(3);
      for (let i = 0; i < 500; i++) {
        let left = 2 ** 20;
        const output = new OutputBuffer((bytes) => {
          const granted = Math.min(bytes, left);
          left -= granted;
          return granted;
        });
        try {
          unpack(mutated(packed, random), output);
        } catch (error) {
          const isKnown = error instanceof DamagedData || error instanceof OutputFull ||
            error instanceof UnsupportedData;
          assert.ok(isKnown, String(error));
        }
        assert.ok(output.length <= 2 ** 20);
      }
    });
  }
});
