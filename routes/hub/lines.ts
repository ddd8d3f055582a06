import type { Chunk } from "../../core/content.ts";
import { KIB, MIB } from "../../schemas/units.ts";
import { type BodyReader, unreadable } from "../request/body.ts";

/** The memory that lines are read into, in bytes. */
const SHORT_BYTES = 128 * KIB;
/** The longest line, in bytes: 16 MiB of content in base64, and what is around it. */
export const MAX_LINE_BYTES = 22 * MIB;

const NEWLINE = 0x0a;

/**
 * The lines of a body, without their ends. Each is valid until the next one is requested. Only a line
 * of more than {@link SHORT_BYTES} takes more memory than that.
 *
 * @param permitted Waits until a long line may be in memory.
 * @throws {AppError} `ErrResourcesInvalidRequest` when a line is too long, or the body cannot be read.
 */
export async function* linesOf(
  body: Pick<BodyReader, "readInto" | "cancel">,
  permitted: () => Promise<void>,
): AsyncGenerator<Chunk, void> {
  const memory = new LineMemory(permitted);
  try {
    do yield* memory.lines(); while (await memory.fill(body));
    if (memory.rest.length > 0) yield memory.rest;
  } finally {
    await body.cancel();
  }
}

/** The part of a body that is in memory. */
class LineMemory {
  readonly #permitted: () => Promise<void>;
  #memory: Chunk = new Uint8Array(SHORT_BYTES);
  /** What has been read and not been passed on yet is from `#start` to `#end`. */
  #start = 0;
  #end = 0;
  /** From here on there may be the end of a line. */
  #searchFrom = 0;

  constructor(permitted: () => Promise<void>) {
    this.#permitted = permitted;
  }

  /** What follows the last whole line. */
  get rest(): Chunk {
    return this.#memory.subarray(this.#start, this.#end);
  }

  /** The whole lines. */
  *lines(): Generator<Chunk> {
    for (;;) {
      const newline = this.#memory.subarray(0, this.#end).indexOf(NEWLINE, this.#searchFrom);
      if (newline === -1) break;
      const line = this.#memory.subarray(this.#start, newline);
      this.#searchFrom = this.#start = newline + 1;
      yield line;
    }
    this.#searchFrom = this.#end;
  }

  /** Reads more of the body. Returns whether there was more. */
  async fill(body: Pick<BodyReader, "readInto">): Promise<boolean> {
    this.#dropLines();
    if (this.#end === this.#memory.length) await this.#grow();
    const { memory, bytes } = await body.readInto(this.#memory, this.#end);
    this.#memory = memory;
    this.#end += bytes;
    return bytes > 0;
  }

  /** Moves the rest to the start of the memory, or of short memory if that is enough now. */
  #dropLines(): void {
    if (this.#start === 0) return;
    const rest = this.rest;
    if (this.#isLong && rest.length < SHORT_BYTES) this.#memory = new Uint8Array(SHORT_BYTES);
    this.#memory.set(rest);
    this.#start = 0;
    this.#searchFrom = this.#end = rest.length;
  }

  async #grow(): Promise<void> {
    if (this.#isLong) {
      throw unreadable("body", `a line is longer than ${MAX_LINE_BYTES} bytes`);
    }
    await this.#permitted();
    const short = this.#memory;
    this.#memory = new Uint8Array(MAX_LINE_BYTES);
    this.#memory.set(short);
  }

  get #isLong(): boolean {
    return this.#memory.length > SHORT_BYTES;
  }
}
