import type { ContentLocation } from "../../../schemas/content_url.ts";
import type { CredentialSource } from "./credentials.ts";
import { Bucket } from "./bucket.ts";
import { isTransient } from "./failures.ts";
import { probeBucket, probeKey } from "./marker.ts";
import { S3Requests } from "./requests.ts";

/** How often something is written at most (C 31). */
const WRITE_INTERVAL_MS = 30_000;
/** How long the store may take. Nothing is sent again: the next probe is soon enough. */
const TIMEOUT_MS = 2000;

/** Finds out whether a store can be used, by reading what it wrote some time ago. */
export class BucketProbe {
  readonly #bucket: Bucket;
  readonly #location: ContentLocation;
  #wroteAt = -Infinity;
  #refusal: unknown;

  constructor(location: ContentLocation, credentials: CredentialSource) {
    this.#location = location;
    this.#bucket = new Bucket(
      new S3Requests(location, credentials, { timeoutMs: TIMEOUT_MS, attempts: 1 }),
    );
  }

  /** @throws {S3Failure} when no object can be written or read now. */
  async run(): Promise<void> {
    if (performance.now() - this.#wroteAt < WRITE_INTERVAL_MS) {
      if (this.#refusal !== undefined) throw this.#refusal;
      await this.#bucket.sizeOf(probeKey(this.#location));
      return;
    }
    this.#wroteAt = performance.now();
    this.#refusal = undefined;
    try {
      await probeBucket(this.#bucket, this.#location);
    } catch (error) {
      // What passes by itself has cost nothing.
      if (isTransient(error)) this.#wroteAt = -Infinity;
      this.#refusal = error;
      throw error;
    }
  }
}
