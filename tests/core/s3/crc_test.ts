import * as assert from "node:assert/strict";
import fc from "fast-check";
import { Crc, JoinedCrc } from "../../../core/s3/crc.ts";
import { AREA_BYTES } from "../../../core/s3/crc_module.ts";

const CRCS = [
  { name: "CRC32C", polynomial: 0x82f63b78n, bits: 32, ofDigits: "e3069283" },
  { name: "CRC64NVME", polynomial: 0x9a6c9329ac4bc9b5n, bits: 64, ofDigits: "ae8b14860a799888" },
] as const;
type Algorithm = typeof CRCS[number];

/** As the definition has it, bit by bit. */
function bitByBit({ polynomial, bits }: Algorithm, bytes: Uint8Array): string {
  const ones = (1n << BigInt(bits)) - 1n;
  let crc = ones;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? crc >> 1n ^ polynomial : crc >> 1n;
  }
  return (crc ^ ones).toString(16).padStart(bits / 4, "0");
}

function crcOf({ name }: Algorithm, pieces: readonly Uint8Array[]): Uint8Array {
  const crc = new Crc(name);
  for (const piece of pieces) crc.update(piece);
  return crc.digest();
}

/** Bytes that do not repeat soon. */
function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => Math.imul(at + 1, 0x9e3779b1) >>> 24);
}

for (const algorithm of CRCS) {
  const { name, ofDigits } = algorithm;

  Deno.test(`C 30 ${name}: the digits have the value that the catalogs of CRCs have`, () => {
    const digits = new TextEncoder().encode("123456789");
    assert.equal(crcOf(algorithm, [digits]).toHex(), ofDigits);
  });

  Deno.test(`C 30 ${name}: pieces of any lengths are as the definition has them`, () => {
    const piece = fc.uint8Array({ maxLength: 70, size: "max" });
    fc.assert(fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const whole = Uint8Array.from(pieces.flatMap((it) => [...it]));
      assert.equal(crcOf(algorithm, pieces).toHex(), bitByBit(algorithm, whole));
    }));
  });

  Deno.test(`C 30 ${name}: pieces larger than the memory of the loop, and two at the same time`, () => {
    const whole = bytesOf(2 * AREA_BYTES + 21);
    const [one, other] = [new Crc(name), new Crc(name)];
    for (const end of [AREA_BYTES - 3, whole.length]) {
      one.update(whole.subarray(end === whole.length ? AREA_BYTES - 3 : 0, end));
      other.update(whole.subarray(0, 40));
    }
    assert.equal(one.digest().toHex(), bitByBit(algorithm, whole));
    const twice = Uint8Array.from([...whole.subarray(0, 40), ...whole.subarray(0, 40)]);
    assert.equal(other.digest().toHex(), bitByBit(algorithm, twice));
  });

  Deno.test(`C 30 ${name}: those of parts are joined to that of the whole`, () => {
    const whole = bytesOf(1000);
    const joined = new JoinedCrc(name);
    for (const part of [whole.subarray(0, 333), whole.subarray(333, 666), whole.subarray(666)]) {
      joined.add({ size: part.length, value: crcOf(algorithm, [part]).toBase64() });
    }
    assert.equal(joined.digest(), crcOf(algorithm, [whole]).toBase64());
  });
}
