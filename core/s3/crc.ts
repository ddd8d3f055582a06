/** Checksums that S3 has and the runtime has not. Both are reflected. */

import { instantiate } from "../wasm_code.ts";
import {
  AREA_BYTES,
  BLOCK_BYTES,
  crcModule,
  SLICES,
  START,
  TABLE_VALUES,
  TABLES,
} from "./crc_module.ts";

/** CRC-32C (Castagnoli), and CRC-64/NVME. */
const POLYNOMIALS = {
  CRC32C: { polynomial: 0x82f63b78n, bits: 32 },
  CRC64NVME: { polynomial: 0x9a6c9329ac4bc9b5n, bits: 64 },
} as const;
type CrcName = keyof typeof POLYNOMIALS;

/** Computes one of the checksums. */
interface CrcEngine {
  /** The lower and the upper word of the checksum, and the tables. */
  readonly words: Uint32Array;
  readonly bytes: Uint8Array;
  readonly run: (end: number) => void;
}

function engineOf(name: CrcName): CrcEngine {
  const { memory, run } = instantiate(crcModule());
  tablesOf(name, new BigUint64Array(memory, TABLES, SLICES * TABLE_VALUES));
  return { words: new Uint32Array(memory), bytes: new Uint8Array(memory), run };
}

/** Fills a table for each byte of a block. That of a byte says what its value makes of the checksum after it. */
function tablesOf(name: CrcName, tables: BigUint64Array): void {
  const { polynomial } = POLYNOMIALS[name];
  for (let value = 0; value < TABLE_VALUES; value++) {
    let crc = BigInt(value);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? crc >> 1n ^ polynomial : crc >> 1n;
    tables[value] = crc;
  }
  for (let at = TABLE_VALUES; at < tables.length; at++) {
    const former = tables[at - TABLE_VALUES] ?? 0n;
    tables[at] = former >> 8n ^ (tables[Number(former & 255n)] ?? 0n);
  }
}

/** A checksum that is computed piece by piece. */
export class Crc {
  readonly #bits: 32 | 64;
  readonly #engine: CrcEngine;
  #high: number;
  #low = -1;

  /** @param name The algorithm. */
  constructor(name: CrcName) {
    this.#bits = POLYNOMIALS[name].bits;
    this.#engine = ENGINES[name] ??= engineOf(name);
    this.#high = this.#bits === 32 ? 0 : -1;
  }

  /** Adds bytes. */
  update(bytes: Uint8Array): void {
    const blocks = bytes.length - bytes.length % BLOCK_BYTES;
    for (let at = 0; at < blocks; at += AREA_BYTES) {
      this.#addBlocks(bytes.subarray(at, Math.min(at + AREA_BYTES, blocks)));
    }
    this.#addRest(bytes.subarray(blocks));
  }

  /** Adds whole blocks, {@link AREA_BYTES} at most. All checksums of an algorithm share the memory. */
  #addBlocks(blocks: Uint8Array): void {
    const { words, bytes, run } = this.#engine;
    words[0] = this.#low;
    words[1] = this.#high;
    bytes.set(blocks, START);
    run(START + blocks.length);
    [this.#low = 0, this.#high = 0] = words;
  }

  /** Adds what does not fill a block. */
  #addRest(rest: Uint8Array): void {
    const { words } = this.#engine;
    for (const byte of rest) {
      const entry = TABLES / Uint32Array.BYTES_PER_ELEMENT + 2 * ((this.#low ^ byte) & 255);
      this.#low = (this.#low >>> 8 | this.#high << 24) ^ (words[entry] ?? 0);
      this.#high = this.#high >>> 8 ^ (words[entry + 1] ?? 0);
    }
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

/** They are made when they are needed first. */
const ENGINES: { [Name in CrcName]?: CrcEngine } = {};

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
