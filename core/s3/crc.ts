/** Checksums that S3 has and the runtime has not. Both are reflected. */

/** CRC-32C (Castagnoli), and CRC-64/NVME. */
const POLYNOMIALS = {
  CRC32C: { polynomial: 0x82f63b78n, bits: 32 },
  CRC64NVME: { polynomial: 0x9a6c9329ac4bc9b5n, bits: 64 },
} as const;
type CrcName = keyof typeof POLYNOMIALS;
/** So many bytes are taken at a time. */
const SLICES = 8;

/** A table for each byte of a slice: the upper and the lower 32 bits for each value of the byte. */
interface Tables {
  readonly high: readonly Uint32Array[];
  readonly low: readonly Uint32Array[];
}

function tablesOf(name: CrcName): Tables {
  const { polynomial } = POLYNOMIALS[name];
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
  constructor(name: CrcName) {
    this.#bits = POLYNOMIALS[name].bits;
    this.#tables = TABLES[name] ??= tablesOf(name);
    this.#high = this.#bits === 32 ? 0 : -1;
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
const TABLES: { [Name in CrcName]?: Tables } = {};

/** Content that is a part of other content. */
export interface CrcPart {
  /** In bytes. */
  readonly size: number;
  /** In base64. */
  readonly value: string;
}

/**
 * The checksum of content, by those of its parts: a part moves what is before it by its size, which multiplies that
 * checksum by a power of x. No content is read.
 */
export class JoinedCrc {
  readonly #polynomial: bigint;
  readonly #bits: number;
  /** The factors by which parts of sizes move what is before them. */
  readonly #factors = new Map<number, bigint>();
  /** x to the powers 8, 16, 32 …: a byte, two bytes, four bytes … */
  readonly #powers: bigint[] = [];
  #value = 0n;

  constructor(name: CrcName) {
    const { polynomial, bits } = POLYNOMIALS[name];
    [this.#polynomial, this.#bits] = [polynomial, bits];
  }

  /** Adds the part that follows. */
  add({ size, value }: CrcPart): void {
    const own = BigInt(`0x${Uint8Array.fromBase64(value).toHex()}`);
    this.#value = this.#product(this.#factorOf(size), this.#value) ^ own;
  }

  /** In base64. */
  digest(): string {
    const hex = this.#value.toString(16).padStart(this.#bits / 4, "0");
    return Uint8Array.fromHex(hex).toBase64();
  }

  #factorOf(size: number): bigint {
    const known = this.#factors.get(size);
    if (known !== undefined) return known;
    // Reflected, the highest bit is 1, and the next one x.
    let factor = 1n << BigInt(this.#bits - 1);
    for (let [rest, at] = [BigInt(size), 0]; rest > 0n; rest >>= 1n, at++) {
      const former = this.#powers[at - 1];
      const power = this.#powers[at] ??= former === undefined
        ? 1n << BigInt(this.#bits - 1 - 8)
        : this.#product(former, former);
      if (rest & 1n) factor = this.#product(power, factor);
    }
    this.#factors.set(size, factor);
    return factor;
  }

  /** The product of two polynomials, modulo that of the checksum. */
  #product(a: bigint, b: bigint): bigint {
    let product = 0n;
    for (let bit = 1n << BigInt(this.#bits - 1); bit > 0n; bit >>= 1n) {
      if (a & bit) product ^= b;
      b = b & 1n ? b >> 1n ^ this.#polynomial : b >> 1n;
    }
    return product;
  }
}
