import * as v from "valibot";
import { type Chunk, joinChunks } from "../core/content.ts";
import { AppError, quoted } from "../core/errors.ts";
import { MIB } from "../schemas/units.ts";
import { TransferWatch } from "./transfer_watch.ts";

/** The largest JSON body, in bytes (C 3). */
export const MAX_JSON_BYTES = MIB;
/** How long a JSON body may take, in milliseconds. */
const MAX_JSON_MS = 120_000;

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
  readonly #reader: ReadableStreamDefaultReader<Chunk> | undefined;
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
    this.#reader = body?.getReader();
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
   * The next chunk, or undefined at the end.
   *
   * @throws {AppError} when the body is too large, stalls or breaks off.
   */
  async read(): Promise<Chunk | undefined> {
    this.#watch.wait();
    try {
      const result = await this.#reader?.read();
      this.#watch.moved(result?.value?.length ?? 0);
      if (this.#expired !== undefined) throw unreadable(this.#subject, this.#expired);
      if (result === undefined || result.done) return undefined;
      this.#received += result.value.length;
      if (this.#received > this.#maxBytes) throw tooLarge(this.#subject, this.#maxBytes);
      return result.value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw unreadable(this.#subject, "the transfer broke off", error);
    } finally {
      this.#watch.end();
    }
  }

  /** Reads the whole body into memory, within `maxBytes`. Cancels what is left if it fails. */
  async readAll(): Promise<Chunk> {
    const chunks: Chunk[] = [];
    try {
      for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read()) {
        chunks.push(chunk);
      }
      return joinChunks(chunks);
    } finally {
      await this.cancel();
    }
  }

  /** Discards the rest of the body, so that the client sees the reply. */
  async cancel(): Promise<void> {
    clearTimeout(this.#deadline);
    await this.#reader?.cancel().catch(() => {
      // The client is gone: there is nothing left to discard.
    });
  }

  #expire(why: string): void {
    this.#expired ??= why;
    this.cancel();
  }
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
