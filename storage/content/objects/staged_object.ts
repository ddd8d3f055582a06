import type { StagedBlob } from "../../../core/blob_store.ts";
import type { ContentRow } from "../../../core/content_changes.ts";
import { StagedContent } from "../staged_content.ts";
import type { ContentDigest } from "../hasher.ts";

/** Content in an arriving object, not yet published. */
export class StagedObject extends StagedContent implements StagedBlob {
  /** Damage is found by reading. An object that arrives replaces the one before in any case. */
  readonly damage = undefined;
  readonly #giveUp: (key: string) => Promise<void>;
  #isWaiting = false;

  constructor(
    readonly key: string,
    digest: ContentDigest,
    giveUp: (key: string) => Promise<void>,
  ) {
    super(digest);
    this.#giveUp = giveUp;
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

/** What the database is to keep of a staged object. */
export function objectRow(blob: StagedBlob): ContentRow {
  if (!(blob instanceof StagedObject)) throw new TypeError("Not a blob of this store");
  return { ...blob.digest, bytes: undefined, object: blob.key, isNew: true };
}
