import type { StagedBlob } from "../../core/blob_store.ts";
import type { ContentDigest } from "../blobs/upload.ts";

/** Content in an arriving object, not yet published. */
export class StagedObject implements StagedBlob {
  /** Damage is found by reading. An object that arrives replaces the one before in any case. */
  readonly damage = undefined;
  readonly #giveUp: (key: string) => Promise<void>;
  #isWaiting = false;

  constructor(
    readonly key: string,
    readonly digest: ContentDigest,
    giveUp: (key: string) => Promise<void>,
  ) {
    this.#giveUp = giveUp;
  }

  get hash(): string {
    return this.digest.hash;
  }

  get size(): number {
    return this.digest.size;
  }

  get crc32(): number {
    return this.digest.crc32;
  }

  get sha256(): string {
    return this.digest.sha256.toHex();
  }

  /** The object waits for a commit: it is not given up. */
  keep(): void {
    this.#isWaiting = true;
  }

  /** Gives the object up, unless it is content now. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isWaiting) await this.#giveUp(this.key);
  }
}
