import { Buffer } from "node:buffer";
import type { Chunk } from "../core/content.ts";
import { yieldToEventLoop } from "../core/event_loop.ts";
import { KIB, MIB } from "../schemas/units.ts";
import { type BodyReader, unreadable } from "./body.ts";

/** How long a body that has already arrived may keep the event loop, in milliseconds. */
const MAX_TURN_MS = 20;
/** The longest head of a part. */
const MAX_HEAD_BYTES = 16 * KIB;
const HEAD_END = new TextEncoder().encode("\r\n\r\n");
/** The memory that a form is read into. It grows when more than this has been received. */
const MIN_MEMORY_BYTES = 64 * KIB;
const MAX_MEMORY_BYTES = MIB;
const LAST = new TextEncoder().encode("--");

/**
 * Splits a multipart body at its boundaries and reads one part after the other. Reads into one piece of
 * memory and searches the boundary there.
 */
export class FormReader {
  readonly #body: BodyReader;
  readonly #delimiter: Uint8Array;
  readonly #skips: Uint8Array;
  #memory: Chunk = new Uint8Array(MIN_MEMORY_BYTES);
  /** The part of the memory that has been received and not yet consumed. */
  #start = 0;
  #end = 0;
  #receivedBytes = 0;
  #turnStarted = performance.now();
  /** Whether the position is within a part, or before the first boundary. */
  #inPart = true;

  constructor(body: BodyReader, boundary: string) {
    this.#body = body;
    this.#delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
    this.#skips = skipsOf(this.#delimiter);
    // A boundary begins with a line break, which the first one in a body need not have.
    this.#memory.set([0x0d, 0x0a]);
    this.#end = 2;
  }

  /** The head of the next part, or undefined after the last one. Skips what was left unread. */
  async nextPart(): Promise<string | undefined> {
    for await (const _ of this.content()) { /* skipped */ }
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
    if (this.#findDelimiter(limit) !== undefined) {
      throw unreadable("form", "a part has no complete head");
    }
    const head = this.#memory.subarray(this.#start, this.#start + bytes);
    this.#start += bytes + HEAD_END.length;
    this.#inPart = true;
    return Buffer.from(head).toString("latin1");
  }

  /** The content of the part whose head was read last. Each chunk is valid until the next is requested. */
  async *content(): AsyncGenerator<Chunk, void> {
    while (this.#inPart) {
      const start = this.#start;
      const boundary = this.#findDelimiter();
      // The end of what was received may be the start of a boundary.
      const end = boundary ?? Math.max(start, this.#end - this.#delimiter.length + 1);
      this.#start = end;
      if (boundary !== undefined) {
        this.#start += this.#delimiter.length;
        this.#inPart = false;
      }
      if (end > start) yield this.#memory.subarray(start, end);
      if (boundary === undefined && !await this.#receive()) {
        throw unreadable("form", "it ends before its last boundary");
      }
    }
  }

  /**
   * The position of the next delimiter that ends before `limit` (Horspool's algorithm), or undefined if
   * there is none yet.
   */
  #findDelimiter(limit = this.#end): number | undefined {
    const memory = this.#memory;
    const delimiter = this.#delimiter;
    const skips = this.#skips;
    const last = delimiter.length - 1;
    const lastByte = delimiter[last];
    for (let at = this.#start + last; at < limit && at < this.#end;) {
      const byte = memory[at] ?? 0;
      if (byte === lastByte) {
        let matched = 0;
        while (matched < last && memory[at - last + matched] === delimiter[matched]) matched++;
        if (matched === last) return at - last;
      }
      at += skips[byte] ?? 1;
    }
    return undefined;
  }

  /** Receives more. Returns false at the end of the body. */
  async #receive(): Promise<boolean> {
    // Reading what has already arrived never yields to the event loop by itself.
    if (performance.now() - this.#turnStarted > MAX_TURN_MS) {
      await yieldToEventLoop();
      this.#turnStarted = performance.now();
    }
    this.#makeRoom();
    const { memory, bytes } = await this.#body.readInto(this.#memory, this.#end);
    this.#memory = memory;
    this.#end += bytes;
    this.#receivedBytes += bytes;
    return bytes > 0;
  }

  /** Moves what is not consumed to the start of the memory, if there is little room behind it. */
  #makeRoom(): void {
    const { length } = this.#memory;
    const grows = length < MAX_MEMORY_BYTES && this.#receivedBytes >= MIN_MEMORY_BYTES;
    if (this.#start === this.#end) this.#start = this.#end = 0;
    if (!grows && this.#end <= length / 2) return;
    const left = this.#memory.subarray(this.#start, this.#end);
    if (grows) {
      const memory = new Uint8Array(MAX_MEMORY_BYTES);
      memory.set(left);
      this.#memory = memory;
    } else {
      this.#memory.copyWithin(0, this.#start, this.#end);
    }
    this.#end -= this.#start;
    this.#start = 0;
  }
}

/** How far the search may advance from each byte. A delimiter has 74 bytes at most. */
function skipsOf(delimiter: Uint8Array): Uint8Array {
  const skips = new Uint8Array(256).fill(delimiter.length);
  for (const [index, byte] of delimiter.subarray(0, -1).entries()) {
    skips[byte] = delimiter.length - 1 - index;
  }
  return skips;
}
