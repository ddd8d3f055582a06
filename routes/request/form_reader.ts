import { Buffer } from "node:buffer";
import type { Chunk } from "../../core/content.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { KIB } from "../../schemas/units.ts";
import { type BodyReader, unreadable } from "./body.ts";

/** The longest head of a part. */
const MAX_HEAD_BYTES = 16 * KIB;
const HEAD_END = new TextEncoder().encode("\r\n\r\n");
/** The most memory that a form is read into at first. When it is full, it grows to that of a large chunk. */
const MAX_FIRST_BYTES = 64 * KIB;
const LAST = new TextEncoder().encode("--");

/**
 * Splits a multipart body at its boundaries and reads one part after the other. Reads into memory,
 * searches the boundary there, and gives memory full of content away.
 */
export class FormReader implements Disposable {
  readonly #body: BodyReader;
  readonly #delimiter: Uint8Array;
  readonly #skips: Uint8Array;
  #memory: Chunk;
  /** The part of the memory that has been received and not yet consumed. */
  #start = 0;
  #end = 0;
  /** Whether the position is within a part, or before the first boundary. */
  #inPart = true;

  constructor(body: BodyReader, boundary: string) {
    this.#body = body;
    this.#memory = body.firstMemory(MAX_FIRST_BYTES);
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
    this.#skips = skipsOf(this.#delimiter);
    // A boundary begins with a line break, which the first one in a body need not have.
    this.#memory.set([0x0d, 0x0a]);
    this.#end = 2;
  }

  /** The head of the next part, or undefined after the last one. Skips what was left unread. */
  async nextPart(): Promise<string | undefined> {
    for await (const skipped of this.content()) SPARE_MEMORY.keep(skipped);
    // What has been searched is not searched again, however slowly the head comes in.
    let searched = 0;
    for (;;) {
      const received = this.#memory.subarray(this.#start, this.#end);
      if (received[0] === LAST[0] && received[1] === LAST[1]) break;
      const end = Buffer.from(received.buffer, received.byteOffset, received.length)
        .indexOf(HEAD_END, Math.max(0, searched - HEAD_END.length + 1));
      if (end > MAX_HEAD_BYTES || (end === -1 && received.length > MAX_HEAD_BYTES)) {
        throw unreadable("form", `the head of a part is longer than ${MAX_HEAD_BYTES} bytes`);
      }
      // Enough to see whether the end of the head is the start of a boundary.
      const needed = end + HEAD_END.length + this.#delimiter.length;
      if (end !== -1 && (received.length >= needed || !await this.#receive())) {
        return this.#takeHead(end);
      }
      if (end !== -1) continue;
      searched = received.length;
      if (!await this.#receive()) throw unreadable("form", "a part has no complete head");
    }
    // RFC 2046: what follows the last boundary is ignored.
    do this.#start = this.#end; while (await this.#receive());
    return undefined;
  }

  /** Consumes a head of so many bytes and its end. */
  #takeHead(bytes: number): string {
    const limit = this.#start + bytes + HEAD_END.length + this.#delimiter.length - 1;
    if (this.#findDelimiter(this.#start, limit) !== undefined) {
      throw unreadable("form", "a part has no complete head");
    }
    const head = this.#memory.subarray(this.#start, this.#start + bytes);
    this.#start += bytes + HEAD_END.length;
    this.#inPart = true;
    return Buffer.from(head).toString("latin1");
  }

  /** The content of the part whose head was read last. The memory of each chunk is the caller's. */
  async *content(): AsyncGenerator<Chunk, void> {
    let searched = 0;
    while (this.#inPart) {
      const boundary = this.#findDelimiter(this.#start + searched);
      if (boundary !== undefined) {
        const last = this.#memory.slice(this.#start, boundary);
        this.#start = boundary + this.#delimiter.length;
        this.#inPart = false;
        if (last.length > 0) yield last;
        return;
      }
      // The end of what was received may be the start of a boundary.
      searched = Math.max(0, this.#end - this.#start - this.#delimiter.length + 1);
      if (this.#isFullOfContent()) {
        yield this.#giveAway(searched);
        searched = 0;
      }
      if (!await this.#receive()) throw unreadable("form", "it ends before its last boundary");
    }
  }

  /** Keeps the memory for other forms. Call it when the body is no longer read. */
  [Symbol.dispose](): void {
    SPARE_MEMORY.keep(this.#memory);
    this.#memory = new Uint8Array();
    this.#start = this.#end = 0;
  }

  #isFullOfContent(): boolean {
    return this.#end === LARGE_CHUNK_BYTES && this.#start <= LARGE_CHUNK_BYTES / 2;
  }

  /** Gives the memory away with the next bytes, and goes on with the rest of them in another one. */
  #giveAway(bytes: number): Chunk {
    const end = this.#start + bytes;
    const given = this.#memory.subarray(this.#start, end);
    const rest = this.#memory.subarray(end, this.#end);
    this.#memory = SPARE_MEMORY.take();
    this.#memory.set(rest);
    this.#start = 0;
    this.#end = rest.length;
    return given;
  }

  /**
   * The position of the first delimiter from `start` that ends before `limit` (Horspool's algorithm), or
   * undefined if there is none yet.
   */
  #findDelimiter(start: number, limit = this.#end): number | undefined {
    const memory = this.#memory;
    const delimiter = this.#delimiter;
    const skips = this.#skips;
    const { length } = delimiter;
    const end = Math.min(limit, this.#end);
    for (let at = start + length - 1; at < end;) {
      const skip = skips[memory[at] ?? 0] ?? 1;
      if (skip === length) {
        // Nearly always. A constant lets the processor go on before it knows the byte.
        at += length;
        continue;
      }
      const found = at - length + 1;
      if (memory[at] === delimiter[length - 1] && this.#isDelimiter(found)) return found;
      at += skip;
    }
    return undefined;
  }

  #isDelimiter(position: number): boolean {
    const delimiter = this.#delimiter;
    let matched = 0;
    while (matched < delimiter.length && this.#memory[position + matched] === delimiter[matched]) {
      matched++;
    }
    return matched === delimiter.length;
  }

  /** Receives more. Returns false at the end of the body. */
  async #receive(): Promise<boolean> {
    this.#makeRoom();
    const { memory, bytes } = await this.#body.readInto(this.#memory, this.#end);
    this.#memory = memory;
    this.#end += bytes;
    return bytes > 0;
  }

  /** Makes room if there is little behind what was received. */
  #makeRoom(): void {
    if (this.#start === this.#end) this.#start = this.#end = 0;
    const { length } = this.#memory;
    const isFull = this.#end === length;
    if (!isFull && (this.#start === 0 || this.#end <= length / 2)) return;
    const left = this.#memory.subarray(this.#start, this.#end);
    if (left.length > length / 2) this.#memory = SPARE_MEMORY.take();
    this.#memory.set(left);
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/**
 * How far the search may advance from each byte: the whole length of the delimiter, 74 at most, if the
 * byte is not in it.
 */
function skipsOf(delimiter: Uint8Array): Uint8Array {
  const last = delimiter.length - 1;
  const skips = new Uint8Array(256).fill(delimiter.length);
  const lastByte = delimiter[last] ?? 0;
  skips[lastByte] = last;
  for (const [index, byte] of delimiter.subarray(0, last).entries()) skips[byte] = last - index;
  return skips;
}
