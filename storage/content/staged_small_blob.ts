import type { Chunk } from "../../core/content.ts";
import type { DamagedContent } from "../../core/errors.ts";
import type { SmallContent } from "../../core/content_changes.ts";
import type { StagedBlob } from "../../core/blob_store.ts";
import { removeFile } from "../disk/files.ts";
import { StagedContent } from "./staged_content.ts";
import type { ContentDigest } from "./hasher.ts";

/** How much small content is held in memory until it is published, for all uploads together. */
export class StagedMemory {
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes memory if there is enough left, and returns whether it did. */
  take(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#maxBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/** Small content that is not yet published: in memory or, if that is short, in a temporary file. */
export class StagedSmallBlob extends StagedContent implements StagedBlob {
  damage: DamagedContent | undefined;
  readonly #memory: StagedMemory;
  #content: Chunk | string | undefined;

  private constructor(
    digest: ContentDigest,
    memory: StagedMemory,
    content: Chunk | string,
  ) {
    super(digest);
    this.#memory = memory;
    this.#content = content;
  }

  /** @param path A temporary file that is written if memory is short. It is not synced. */
  static async hold(
    { digest, bytes }: { readonly digest: ContentDigest; readonly bytes: Chunk },
    path: string,
    memory: StagedMemory,
  ): Promise<StagedSmallBlob> {
    if (memory.take(bytes.length)) return new StagedSmallBlob(digest, memory, bytes);
    await Deno.writeFile(path, bytes, { createNew: true, mode: 0o600 });
    return new StagedSmallBlob(digest, memory, path);
  }

  get small(): SmallContent | undefined {
    const bytes = this.#content;
    return bytes instanceof Uint8Array ? { ...this.digest, bytes } : undefined;
  }

  /** @throws {Error} when it was disposed of. */
  async read(): Promise<Chunk> {
    if (this.#content === undefined) throw new Error("The staged content was discarded");
    return typeof this.#content === "string" ? await Deno.readFile(this.#content) : this.#content;
  }

  /** Releases the memory, or removes the temporary file. */
  async [Symbol.asyncDispose](): Promise<void> {
    const content = this.#content;
    this.#content = undefined;
    if (typeof content === "string") await removeFile(content);
    else if (content !== undefined) this.#memory.release(content.length);
  }
}
