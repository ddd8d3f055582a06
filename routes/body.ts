import * as v from "valibot";
import { type Chunk, joinChunks } from "../core/content.ts";
import { AppError, quoted } from "../core/errors.ts";
import { MIB } from "../schemas/units.ts";
import { TransferWatch } from "./transfer_watch.ts";

/** The largest JSON body, in bytes (C 3). */
export const MAX_JSON_BYTES = MIB;
/** How long a JSON body may take, in milliseconds. */
const MAX_JSON_MS = 120_000;

/** The memory that a whole body is read into at first. */
const MIN_MEMORY_BYTES = 4096;

/** What a body is, for messages. */
type Subject = "body" | "form";

export interface BodyLimits {
  readonly maxBytes: number;
  /** How long no data may be received, in milliseconds. @default 60000 */
  readonly stallMs?: number;
  /** How long the whole body may take, in milliseconds. @default Infinity */
  readonly withinMs?: number;
}

/**
 * Reads a request body within limits. Everything that reads a body uses it; each failure is an
 * `ErrResourcesInvalidRequest`.
 */
export class BodyReader {
  readonly #reader: ByteReader | undefined;
  readonly #subject: Subject;
  readonly #maxBytes: number;
  readonly #watch: TransferWatch;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  #received = 0;
  /** Why a timer gave the body up. */
  #expired: string | undefined;

  constructor(
    body: ReadableStream<Chunk> | null,
    subject: Subject,
    { maxBytes, stallMs, withinMs }: BodyLimits,
  ) {
    this.#reader = body === null ? undefined : byteReader(body);
    this.#subject = subject;
    this.#maxBytes = maxBytes;
    this.#watch = new TransferWatch({
      windowMs: stallMs,
      onSlow: (reason) => this.#expire(`received ${reason}`),
    });
    this.#deadline = withinMs === undefined
      ? undefined
      : setTimeout(() => this.#expire(`not received within ${withinMs / 1000} s`), withinMs);
  }

  /**
   * Reads into memory from the position `from`. Returns that memory, which may be another object now,
   * and how many bytes were read: 0 at the end of the body.
   *
   * @throws {AppError} when the body is too large, stalls or breaks off.
   */
  async readInto(
    memory: Chunk,
    from: number,
  ): Promise<{ readonly memory: Chunk; readonly bytes: number }> {
    if (this.#reader === undefined) return { memory, bytes: 0 };
    this.#watch.wait();
    try {
      const result = await this.#reader.read(memory.subarray(from));
      this.#watch.moved(result.bytes);
      if (this.#expired !== undefined) throw unreadable(this.#subject, this.#expired);
      this.#received += result.bytes;
      if (this.#received > this.#maxBytes) throw tooLarge(this.#subject, this.#maxBytes);
      return { memory: new Uint8Array(result.buffer), bytes: result.bytes };
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (this.#expired !== undefined) throw unreadable(this.#subject, this.#expired, error);
      throw unreadable(this.#subject, "the transfer broke off", error);
    }
  }

  /** Reads the whole body into memory, within `maxBytes`. Cancels what is left if it fails. */
  async readAll(): Promise<Chunk> {
    let memory: Chunk = new Uint8Array(MIN_MEMORY_BYTES);
    let end = 0;
    try {
      for (;;) {
        if (end === memory.length) memory = joinChunks([memory, new Uint8Array(end)]);
        const read = await this.readInto(memory, end);
        memory = read.memory;
        if (read.bytes === 0) return memory.subarray(0, end);
        end += read.bytes;
      }
    } finally {
      await this.cancel();
    }
  }

  /** Discards the rest of the body, so that the client sees the reply. */
  async cancel(): Promise<void> {
    clearTimeout(this.#deadline);
    this.#watch.end();
    await this.#reader?.cancel().catch(() => {
      // The client is gone: there is nothing left to discard.
    });
  }

  #expire(why: string): void {
    this.#expired ??= why;
    this.cancel();
  }
}

/** Reads a body into memory that it is given. */
interface ByteReader {
  /** Returns the memory of the view, in another object, and how much of the view was filled: 0 at the end. */
  read(view: Chunk): Promise<{ readonly buffer: ArrayBuffer; readonly bytes: number }>;
  cancel(): Promise<void>;
}

/** The bodies of the server's requests are byte streams. Those that middleware makes may not be. */
function byteReader(body: ReadableStream<Chunk>): ByteReader {
  try {
    const reader = body.getReader({ mode: "byob" });
    return {
      async read(view) {
        const { value } = await reader.read(view);
        if (value === undefined) throw new TypeError("The body was canceled");
        return { buffer: value.buffer, bytes: value.length };
      },
      cancel: () => reader.cancel(),
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return chunkReader(body.getReader());
  }
}

/** Copies the chunks of a stream. */
function chunkReader(reader: ReadableStreamDefaultReader<Chunk>): ByteReader {
  let left: Chunk = new Uint8Array();
  return {
    async read(view) {
      while (left.length === 0) {
        const { done, value } = await reader.read();
        if (done) return { buffer: view.buffer, bytes: 0 };
        left = value;
      }
      const part = left.subarray(0, view.length);
      view.set(part);
      left = left.subarray(part.length);
      return { buffer: view.buffer, bytes: part.length };
    },
    cancel: () => reader.cancel(),
  };
}

/** The error for a body that cannot be read. */
export function unreadable(subject: Subject, why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the ${subject}: ${why}`, {
    cause,
  });
}

/** The error for a body of more than `maxBytes`. */
export function tooLarge(subject: Subject, maxBytes: number): AppError {
  return unreadable(subject, `it is larger than ${maxBytes} bytes`);
}

/**
 * The bytes of a body that is declared as JSON, or has no Content-Type (C 3).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when its type is another, or it cannot be read.
 */
export async function jsonBytes(request: Request, limits: BodyLimits): Promise<Chunk> {
  const type = request.headers.get("Content-Type");
  if (type !== null && !/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw unreadable("body", `the Content-Type is ${quoted(type)}, not application/json`);
  }
  return await new BodyReader(request.body, "body", limits).readAll();
}

/**
 * Reads a JSON body by its schema (C 3).
 *
 * @param withinMs How long the whole body may take.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is late, too large, not JSON, or not what the
 *   schema expects.
 */
export async function jsonBody<Schema extends v.GenericSchema>(
  request: Request,
  schema: Schema,
  { withinMs = MAX_JSON_MS } = {},
): Promise<v.InferOutput<Schema>> {
  const bytes = await jsonBytes(request, { maxBytes: MAX_JSON_BYTES, withinMs });
  const result = v.safeParse(schema, parseJson(bytes));
  if (result.success) return result.output;
  const [issue] = result.issues;
  const where = v.getDotPath(issue) ?? "the body";
  const what = issue.received === "undefined"
    ? "is missing"
    : `must be ${issue.expected}, not ${receivedText(issue.received)}`;
  throw unreadable("body", `${where} ${what}`);
}

/** valibot shows a received string in quotation marks, at full length. */
function receivedText(received: string): string {
  return received.startsWith('"') ? quoted(received.slice(1, -1)) : received;
}

function parseJson(bytes: Chunk): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw unreadable("body", "not valid JSON in UTF-8", error);
  }
}
