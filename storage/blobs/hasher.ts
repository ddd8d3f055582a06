import { type Checksum, RunningChecksum } from "../../core/content.ts";
import { Md5 } from "./md5.ts";

/** The MD5 in lower-case hex, the size in bytes and the CRC-32 of content. */
export interface Digest extends Checksum {
  readonly hash: string;
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
