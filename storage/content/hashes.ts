import { createHash, type Hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { Md5 } from "./md5.ts";

export type HashAlgorithm = "sha256" | "sha1" | "md5" | "crc32";

/** Begins to compute a hash. */
export function newHash(algorithm: HashAlgorithm): Hash | Md5 | Crc32 {
  switch (algorithm) {
    case "md5":
      return new Md5();
    case "crc32":
      return new Crc32();
    default:
      return createHash(algorithm);
  }
}

/** Computes a CRC-32 in one pass, with the interface of a hash. */
export class Crc32 {
  #value: number;

  constructor(value = 0) {
    this.#value = value;
  }

  update(chunk: Uint8Array): void {
    this.#value = crc32(chunk, this.#value);
  }

  copy(): Crc32 {
    return new Crc32(this.#value);
  }

  /** The four bytes of the CRC-32, the most significant first. */
  digest(): Uint8Array {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, this.#value);
    return bytes;
  }
}
