import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import process from "node:process";
import * as zlib from "node:zlib";
import fc from "fast-check";

/** Imports the substitutes as a browser does, which has no modules of the runtime. */
async function inBrowser() {
  const { getBuiltinModule } = process;
  Object.defineProperty(process, "getBuiltinModule", { value: undefined, configurable: true });
  const substitutes = {
    ...await import("../../../packaging/scanner/substitutes/buffer.ts"),
    ...await import("../../../packaging/scanner/substitutes/crypto.ts"),
    zlib: await import("../../../packaging/scanner/substitutes/zlib.ts"),
  };
  Object.defineProperty(process, "getBuiltinModule", { value: getBuiltinModule });
  return substitutes;
}

const browser = await inBrowser();

/** Bytes that compress well, or not at all. */
const content = fc.oneof(
  fc.uint8Array({ maxLength: 3000 }),
  fc.array(fc.constantFrom("import os", "model.weights", "\0\0\0\0"), { maxLength: 3000 })
    .map((words) => new TextEncoder().encode(words.join(""))),
);

/** More than any content. */
const MAX_BYTES = 2 ** 20;

type Decode = (packed: Uint8Array, options: zlib.ZlibOptions) => Uint8Array;

/** The bytes that a decoder returns, or how it fails. */
function outcome(decode: Decode, packed: Uint8Array, finishFlush: number): string {
  try {
    const bytes = decode(packed, { maxOutputLength: MAX_BYTES, finishFlush });
    return Buffer.from(bytes).toString("base64");
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error &&
      error.code === "ERR_BUFFER_TOO_LARGE";
    return isTooLarge ? "too large" : "damaged";
  }
}

const FORMATS: readonly (readonly [
  name: string,
  encode: (bytes: Uint8Array, options: zlib.ZlibOptions) => Uint8Array,
  runtime: Decode,
  own: Decode,
])[] = [
  ["inflateRawSync", zlib.deflateRawSync, zlib.inflateRawSync, browser.zlib.inflateRawSync],
  ["inflateSync", zlib.deflateSync, zlib.inflateSync, browser.zlib.inflateSync],
  ["gunzipSync", zlib.gzipSync, zlib.gunzipSync, browser.zlib.gunzipSync],
];

for (const [name, encode, runtime, own] of FORMATS) {
  Deno.test(`SR ${name} of browsers unpacks and fails as that of the runtime`, () => {
    const damage = fc.record({
      level: fc.integer({ min: 0, max: 9 }),
      strategy: fc.constantFrom(zlib.constants.Z_DEFAULT_STRATEGY, zlib.constants.Z_FIXED),
      /** The part of the stream that is kept. */
      kept: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
      flipped: fc.option(fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 255 }))),
      after: fc.uint8Array({ maxLength: 4 }),
      flush: fc.constantFrom(zlib.constants.Z_FINISH, zlib.constants.Z_SYNC_FLUSH),
    });
    fc.assert(
      fc.property(content, damage, (bytes, { level, strategy, kept, ...rest }) => {
        const whole = encode(bytes, { level, strategy });
        const packed = new Uint8Array([
          ...whole.subarray(0, Math.ceil(kept * whole.length)),
          ...rest.after,
        ]);
        if (rest.flipped !== null && packed.length > 0) {
          const [at, bits] = rest.flipped;
          const index = at % packed.length;
          packed[index] = (packed[index] ?? 0) ^ bits;
        }
        assert.equal(outcome(own, packed, rest.flush), outcome(runtime, packed, rest.flush));
        const limited = { maxOutputLength: bytes.length - 1 };
        const isTooLarge = { code: "ERR_BUFFER_TOO_LARGE" };
        if (bytes.length > 1) assert.throws(() => own(whole, limited), isTooLarge);
      }),
      { numRuns: 2000 },
    );
  });
}

Deno.test("SR zstdDecompressSync of browsers unpacks as that of the runtime", () => {
  fc.assert(fc.property(content, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, kept) => {
    const whole = new Uint8Array(zlib.zstdCompressSync(bytes));
    assert.deepEqual(
      [...browser.zlib.zstdDecompressSync(whole, { maxOutputLength: bytes.length + 1 })],
      [...bytes],
    );
    // The runtime returns the part of the last block that is there, too, if it is stored as it is.
    const cut = browser.zlib.zstdDecompressSync(whole.subarray(0, Math.ceil(kept * whole.length)));
    assert.deepEqual([...cut], [...bytes.subarray(0, cut.length)]);
  }));
});

Deno.test("SR checksums, digests and Base64 of browsers are those of the runtime", () => {
  fc.assert(fc.property(content, fc.nat(3000), fc.string(), (bytes, at, text) => {
    const [first, second] = [bytes.subarray(0, at), bytes.subarray(at)];
    const checksum = browser.zlib.crc32(second, browser.zlib.crc32(first));
    assert.equal(checksum, zlib.crc32(bytes));
    for (const algorithm of ["md5", "sha1", "sha256", "sha512"] as const) {
      const digest = browser.createHash(algorithm).update(first).update(second).digest("hex");
      assert.equal(digest, createHash(algorithm).update(bytes).digest("hex"));
    }
    const base64 = Buffer.from(bytes).toString("base64");
    for (const it of [base64, base64.replaceAll("+", "-").replaceAll("/", "_"), text]) {
      const decoded = Buffer.from(it, "base64");
      assert.deepEqual([...browser.Buffer.from(it, "base64")], [...decoded]);
    }
    const own = browser.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    assert.equal(own.toString("latin1"), Buffer.from(bytes).toString("latin1"));
    const needle = new Uint8Array([...second.subarray(0, 3), 0]);
    assert.equal(own.indexOf(needle, 1), Buffer.from(bytes).indexOf(needle, 1));
  }));
});
