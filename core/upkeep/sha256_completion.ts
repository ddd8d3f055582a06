import { createHash } from "node:crypto";
import { verifiedContent } from "../content.ts";
import type { DamageLog } from "../damage.ts";
import { DamagedContent } from "../errors.ts";
import { asError, type Log } from "../log.ts";
import type { BlobStore } from "../blob_store.ts";
import type { ContentFacts } from "../ports.ts";
import type { UpkeepStore } from "./ports.ts";
import { rest } from "./rest.ts";

export interface Sha256CompletionOptions {
  readonly store: Pick<UpkeepStore, "withoutSha256" | "saveSha256">;
  readonly blobs: Pick<BlobStore, "open">;
  readonly damage: DamageLog;
  readonly log: Log;
}

/** Digests that are stored at once. */
const PAGE_CONTENTS = 200;
/** Between two reads it rests this many times as long as the last one took. */
const REST = 3;

/**
 * Reads all content that was stored before SHA-256 was kept, once, and stores its SHA-256 (C 17). Leaves
 * out content that is damaged or missing. After a restart it goes on with what is left.
 */
export class Sha256Completion implements AsyncDisposable {
  readonly #options: Sha256CompletionOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: Sha256CompletionOptions) {
    this.#options = options;
    this.#running = this.#run().catch((error) => {
      options.log.error("Cannot add the SHA-256 of content", { error: asError(error) });
    });
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { store } = this.#options;
    for (let after = ""; !this.#stop.signal.aborted;) {
      const page = await store.withoutSha256(after, PAGE_CONTENTS);
      const last = page.at(-1);
      if (last === undefined) return;
      const digests = new Map<string, string>();
      for (const content of page) {
        const digest = await this.#digest(content);
        if (digest !== undefined) digests.set(content.hash, digest);
      }
      await store.saveSha256(digests);
      after = last.hash;
    }
  }

  /** The SHA-256 in hexadecimal. Undefined if the content is not intact, or this is to end. */
  async #digest(content: ContentFacts): Promise<string | undefined> {
    const { blobs, damage } = this.#options;
    const { signal } = this.#stop;
    const { hash, size } = content;
    if (signal.aborted) return undefined;
    try {
      const stored = await blobs.open(hash, { start: 0, end: size });
      if (stored === undefined) return undefined;
      const sha256 = createHash("sha256");
      let started = performance.now();
      for await (const chunk of verifiedContent(stored, content)) {
        sha256.update(chunk);
        await rest((performance.now() - started) * REST, signal);
        if (signal.aborted) return undefined;
        started = performance.now();
      }
      return sha256.digest("hex");
    } catch (error) {
      const { message } = asError(error);
      const damaged = error instanceof DamagedContent
        ? error
        : new DamagedContent(hash, `${size} bytes`, message);
      damage.report(damaged);
      return undefined;
    }
  }
}
