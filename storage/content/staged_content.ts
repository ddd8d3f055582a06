import type { ContentDigest } from "./hasher.ts";

/** Staged content, as its digest describes it. */
export abstract class StagedContent {
  constructor(readonly digest: ContentDigest) {}

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
}
