/** Checksums that S3 has and the runtime has not. Both are reflected. */

/** CRC-32C (Castagnoli), in 32 bits. */
const CRC32C = 0x82f63b78n;
/** CRC-64/NVME, in 64 bits. */
const CRC64NVME = 0x9a6c9329ac4bc9b5n;
/** So many bytes are taken at a time. */
const SLICES = 8;

/** A table for each byte of a slice: the upper and the lower 32 bits for each value of the byte. */
interface Tables {
  readonly high: readonly Uint32Array[];
  readonly low: readonly Uint32Array[];
}

function tablesOf(polynomial: bigint): Tables {
  const high = Array.from({ length: SLICES }, () => new Uint32Array(256));
  const low = Array.from({ length: SLICES }, () => new Uint32Array(256));
  for (let value = 0; value < 256; value++) {
    let crc = BigInt(value);
    for (let slice = 0; slice < SLICES; slice++) {
      for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? crc >> 1n ^ polynomial : crc >> 1n;
      high[slice]?.fill(Number(crc >> 32n), value, value + 1);
      low[slice]?.fill(Number(crc & 0xffffffffn), value, value + 1);
    }
  }
  return { high, low };
}

/** A checksum that is computed piece by piece. */
export class Crc {
  readonly #bits: 32 | 64;
  readonly #tables: Tables;
  #high: number;
  #low = -1;

  /** @param name The algorithm. */
  constructor(name: "crc32c" | "crc64nvme") {
    this.#bits = name === "crc32c" ? 32 : 64;
    this.#tables = TABLES[name] ??= tablesOf(name === "crc32c" ? CRC32C : CRC64NVME);
    this.#high = name === "crc32c" ? 0 : -1;
  }

  /** Adds bytes. */
  update(bytes: Uint8Array): void {
    const { high, low } = this.#tables;
    const [h0, h1, h2, h3, h4, h5, h6, h7] = high as Eight;
    const [l0, l1, l2, l3, l4, l5, l6, l7] = low as Eight;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let [upper, lower] = [this.#high, this.#low];
    let at = 0;
    for (const end = bytes.length - SLICES; at <= end; at += SLICES) {
      const first = view.getUint32(at, true) ^ lower;
      const second = view.getUint32(at + 4, true) ^ upper;
      const [a, b, c, d] = [first & 255, first >>> 8 & 255, first >>> 16 & 255, first >>> 24];
      const [e, f, g, h] = [second & 255, second >>> 8 & 255, second >>> 16 & 255, second >>> 24];
      lower = l7[a]! ^ l6[b]! ^ l5[c]! ^ l4[d]! ^ l3[e]! ^ l2[f]! ^ l1[g]! ^ l0[h]!;
      upper = h7[a]! ^ h6[b]! ^ h5[c]! ^ h4[d]! ^ h3[e]! ^ h2[f]! ^ h1[g]! ^ h0[h]!;
    }
    for (; at < bytes.length; at++) {
      const index = (lower ^ bytes[at]!) & 255;
      lower = (lower >>> 8 | upper << 24) ^ l0[index]!;
      upper = upper >>> 8 ^ h0[index]!;
    }
    [this.#high, this.#low] = [upper, lower];
  }

  /** The checksum of all that was added, the most significant byte first. */
  digest(): Uint8Array {
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, ~this.#high);
    view.setUint32(4, ~this.#low);
    return this.#bits === 64 ? bytes : bytes.subarray(4);
  }
}

type Eight = readonly [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];

/** They are made when they are needed first. */
const TABLES: { crc32c?: Tables; crc64nvme?: Tables } = {};
