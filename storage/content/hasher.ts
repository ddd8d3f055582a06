import { createHash } from "node:crypto";
import { type Checksum, type Chunk, RunningChecksum } from "../../core/content.ts";
import { Md5 } from "./md5.ts";

/** The MD5 in lower-case hex, the size in bytes and the CRC-32 of content. */
export interface Digest extends Checksum {
  readonly hash: string;
}

/** All that is computed of content as it comes in. */
export interface ContentDigest extends Digest {
  readonly sha256: Chunk;
}

/** Computes a {@link Digest} in one pass. */
export class Hasher {
  readonly #md5 = new Md5();
  readonly #checksum = new RunningChecksum();

  update(chunk: Uint8Array): void {
    this.#md5.update(chunk);
    this.#checksum.update(chunk);
  }

  digest(): Digest {
    return { hash: this.#md5.digest().toHex(), ...this.#checksum };
  }
}

/** Computes a {@link ContentDigest} in one pass. */
export class ContentHasher {
  readonly #hasher = new Hasher();
  readonly #sha256 = createHash("sha256");

  update(chunk: Uint8Array): void {
    this.#hasher.update(chunk);
    this.#sha256.update(chunk);
  }

  /** Call it once. */
  digest(): ContentDigest {
    return { ...this.#hasher.digest(), sha256: new Uint8Array(this.#sha256.digest()) };
  }
}
