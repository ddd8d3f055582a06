import { MIB } from "../../schemas/units.ts";
import type { OpenPart, ResumableUpload, UploadStore } from "../uploads.ts";

/** What has been received is kept whenever it has grown by this much, or for this long. */
const KEEP_BYTES = 64 * MIB;
const KEEP_MS = 5000;

interface KeptBy {
  readonly store: Pick<UploadStore, "advance">;
  /** An upload expires this long after it last received something, in milliseconds. */
  readonly expiryMs: number;
}

/** Keeps from time to time how much an upload has received. */
export class KeptProgress {
  readonly #service: KeptBy;
  readonly #upload: Pick<ResumableUpload, "id">;
  readonly #part: OpenPart;
  #bytes = 0;
  #since = performance.now();
  #keeping: Promise<unknown> | undefined;

  constructor(service: KeptBy, upload: Pick<ResumableUpload, "id">, part: OpenPart) {
    this.#service = service;
    this.#upload = upload;
    this.#part = part;
  }

  appended(bytes: number): void {
    this.#bytes += bytes;
    const isDue = this.#bytes >= KEEP_BYTES || performance.now() - this.#since >= KEEP_MS;
    if (!isDue || this.#keeping !== undefined) return;
    this.#bytes = 0;
    this.#since = performance.now();
    // The last one reports what keeps failing.
    this.#keeping = this.keep().catch(() => {}).finally(() => this.#keeping = undefined);
  }

  async settled(): Promise<void> {
    await this.#keeping;
  }

  async keep(): Promise<number> {
    const { store, expiryMs } = this.#service;
    const size = await this.#part.sync();
    const { turn } = this.#part;
    const expiresAt = Date.now() + expiryMs;
    await store.advance(this.#upload.id, { received: size, expiresAt, turn });
    return size;
  }
}
