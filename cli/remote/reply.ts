import * as v from "valibot";
import { MIB } from "../../schemas/units.ts";
import { ConnectionLost } from "./remote_error.ts";

/** The characters that are read of a reply that is one JSON value. */
const MAX_JSON_LENGTH = 16 * MIB;
/** The longest wait for a part of a body. */
const MAX_SILENCE_MS = 120_000;
/** The most that is read of content at a time. */
const VIEW_BYTES = MIB;

/**
 * The body of a response, as it arrives.
 *
 * @throws {ConnectionLost} when it breaks off, or nothing arrives for two minutes.
 */
export async function* bodyOf(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader !== undefined) yield* arriving(reader, () => reader.read(), signal);
}

/** Like {@link bodyOf}, in large chunks. The memory of a chunk is used again for the next but one. */
export async function* contentOf(response: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader({ mode: "byob" });
  if (reader === undefined) return;
  let [memory, other] = [new ArrayBuffer(VIEW_BYTES), new ArrayBuffer(VIEW_BYTES)];
  yield* arriving(reader, async () => {
    const result = await reader.read(new Uint8Array(memory));
    if (!result.done) [memory, other] = [other, result.value.buffer];
    return result;
  });
}

type Read = () => Promise<
  { readonly done: false; readonly value: Uint8Array<ArrayBuffer> } | { readonly done: true }
>;

/** What is read, until nothing is left. */
async function* arriving(
  reader: ReadableStreamDefaultReader | ReadableStreamBYOBReader,
  read: Read,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using silence = new Silence(() => reader.cancel());
  try {
    for (;;) {
      const result = await read();
      signal?.throwIfAborted();
      silence.end();
      if (result.done) return;
      yield result.value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof TypeError)) throw error;
    throw new ConnectionLost(`The connection to the server broke: ${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    // Closes the connection if there is more; what it says to that does not matter.
    reader.cancel().catch(() => {});
  }
}

/** Watches for a server that sends nothing for long. A timer for each part would cost more than the part. */
class Silence implements Disposable {
  #heard = performance.now();
  #tooLong = false;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(onTooLong: () => Promise<void>) {
    this.#timer = setInterval(() => {
      this.#tooLong = performance.now() - this.#heard >= MAX_SILENCE_MS;
      if (this.#tooLong) onTooLong().catch(() => {});
    }, MAX_SILENCE_MS / 8);
  }

  /**
   * Call it when something has arrived.
   *
   * @throws {ConnectionLost} when that came too late.
   */
  end(): void {
    this.#heard = performance.now();
    if (!this.#tooLong) return;
    throw new ConnectionLost(`The server sent nothing for ${MAX_SILENCE_MS / 1000} s`);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/**
 * A body that is one JSON value.
 *
 * @throws {Error} when it is not, or too large.
 */
export async function readJson(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of bodyOf(response)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_JSON_LENGTH) throw new Error("The reply of the server is too large");
  }
  return JSON.parse(text + decoder.decode());
}

/** The lines of a text, without their ends. */
export async function* linesOf(response: Response, signal?: AbortSignal): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bodyOf(response, signal)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_JSON_LENGTH) throw new Error("The reply of the server is too large");
    yield* lines;
  }
  if (rest !== "") yield rest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);
/** Brackets around an item of a list: of the envelope, its data, and the items. */
const ITEM_DEPTH = 3;
/** A list without its items. */
const Frame = v.object({
  status: v.literal("success"),
  data: v.object({ items: v.tuple([]), total: v.number() }),
});

/**
 * The items of a list in the envelope (RS 1.5), one by one, as they arrive.
 *
 * @throws {ConnectionLost} when the list breaks off.
 * @throws {SyntaxError} when an item is not JSON.
 * @throws {Error} when it is something else than a list, at its end at the latest.
 */
export async function* listItems(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<unknown[]> {
  const decoder = new TextDecoder();
  let depth = 0;
  let inString = false;
  let text = "";
  let position = 0;
  let head = "";
  let count = 0;
  for await (const chunk of bodyOf(response, signal)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_JSON_LENGTH) throw new Error("The reply of the server is too large");
    const items: unknown[] = [];
    let start = 0;
    for (; position < text.length; position++) {
      const code = text.charCodeAt(position);
      if (inString) {
        // What is escaped may have yet to arrive.
        if (code === BACKSLASH) position++;
        else if (code === QUOTE) inString = false;
      } else if (code === QUOTE) inString = true;
      else if (OPENING.has(code)) {
        if (depth++ !== ITEM_DEPTH) continue;
        if (count === 0 && items.length === 0) head = text.slice(0, position);
        start = position;
      } else if (CLOSING.has(code) && --depth === ITEM_DEPTH) {
        items.push(JSON.parse(text.slice(start, position + 1)));
        start = position + 1;
      }
    }
    text = text.slice(start);
    position -= start;
    count += items.length;
    if (items.length > 0) yield items;
  }
  if (depth !== 0) throw new ConnectionLost("The reply of the server breaks off");
  if (totalOf(head + text) === count) return;
  throw new Error("The reply of the server is not a list");
}

/** The number of items that a list states. Undefined if the text is not the frame of a list. */
function totalOf(frame: string): number | undefined {
  try {
    return v.parse(Frame, JSON.parse(frame)).data.total;
  } catch {
    // JSON of another shape, or no JSON: the caller's error says so.
    return undefined;
  }
}

/** What the system said, which is the last part of the innermost error of the runtime. */
export function reasonOf(error: Error): string {
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message.replace(/ \(os error \d+\)$/, "").split(": ").at(-1) ?? error.message;
}
