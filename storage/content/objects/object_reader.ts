import type { ByteRange } from "../../../core/blob_store.ts";
import { type Chunk, StoredContent } from "../../../core/content.ts";
import type { Bucket, OpenObject } from "./bucket.ts";
import { asUnavailable, S3Failure } from "./failures.ts";
import { inTime } from "./reply_text.ts";

/** How long the store may take for the next bytes. */
const MAX_STALL_MS = 30_000;
/** How often reading goes on after a failure, each time without a byte in between. */
const MAX_FAILURES = 4;
const PAUSE_MS = 250;

/** What is read of an object. */
export interface ObjectRange {
  readonly key: string;
  readonly range: ByteRange;
  /** The object that has the content now: an upload at another server may have replaced it. */
  readonly find: () => Promise<string | undefined>;
}

/**
 * Opens a range of an object for reading. If the connection breaks, reading goes on with another one where
 * it was. Returns undefined if there is no such object.
 *
 * @param onClose Called once at the end.
 */
export async function openObject(
  bucket: Bucket,
  { key, range, find }: ObjectRange,
  onClose: () => void,
): Promise<StoredContent | undefined> {
  const { start, end } = range;
  if (start >= end) {
    const size = await bucket.sizeOf(key);
    if (size === undefined) return undefined;
    return new StoredContent(size, () => Promise.resolve(undefined), onClose);
  }
  const opened = await bucket.open(key, range);
  if (opened === undefined) return undefined;
  const reading = new Reading(bucket, { key, range, find, opened });
  return new StoredContent(opened.size, () => reading.next(), async () => {
    await reading.close();
    onClose();
  });
}

/**
 * {@link openObject}, of an object that is held until it has been read, or cannot be.
 *
 * @param release Ends the hold.
 * @throws {AppError} `ErrUnavailable` when the store does not answer.
 */
export async function openHeld(
  bucket: Bucket,
  range: ObjectRange,
  release: () => void,
): Promise<StoredContent | undefined> {
  try {
    const content = await openObject(bucket, range, release);
    if (content === undefined) release();
    return content;
  } catch (error) {
    release();
    throw asUnavailable(error);
  }
}

/** A range of an object that is being read. */
class Reading {
  readonly #bucket: Bucket;
  readonly #find: () => Promise<string | undefined>;
  #key: string;
  readonly #end: number;
  /** The end of the object, if that is before the end of the range. */
  readonly #last: number;
  #at: number;
  #reader: ReadableStreamDefaultReader<Chunk> | undefined;
  #failures = 0;

  constructor(
    bucket: Bucket,
    { key, range, find, opened }: ObjectRange & { readonly opened: OpenObject },
  ) {
    this.#bucket = bucket;
    this.#key = key;
    this.#find = find;
    this.#at = range.start;
    this.#end = range.end;
    this.#last = Math.min(range.end, opened.size);
    this.#reader = opened.body.getReader();
  }

  async next(): Promise<Chunk | undefined> {
    while (this.#at < this.#last) {
      try {
        const chunk = await this.#read();
        this.#at += chunk.length;
        this.#failures = 0;
        return chunk;
      } catch (error) {
        await this.close();
        if (++this.#failures >= MAX_FAILURES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** this.#failures));
      }
    }
    if (this.#at === this.#end) return undefined;
    throw new Error(`Stored content ends ${this.#end - this.#at} bytes too early`);
  }

  async close(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    // The connection may have failed before.
    await reader?.cancel().catch(() => {});
  }

  async #read(): Promise<Chunk> {
    this.#reader ??= await this.#reopen();
    const { value } = await inTime(this.#reader.read(), MAX_STALL_MS);
    if (value === undefined) throw new S3Failure("The content store ended its reply too early");
    return value;
  }

  async #reopen(): Promise<ReadableStreamDefaultReader<Chunk>> {
    const range = { start: this.#at, end: this.#last };
    const opened = await this.#bucket.open(this.#key, range);
    if (opened !== undefined) return opened.body.getReader();
    // The next attempt reads that one.
    this.#key = await this.#find() ?? this.#key;
    throw new S3Failure("The object was deleted while it was read");
  }
}
