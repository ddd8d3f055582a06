import * as v from "valibot";
import { type Chunk, doubled } from "../../core/content.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { currentTurn, isTurnOver, takeTurn } from "../../core/event_loop.ts";
import { exceededBound } from "../../core/json_bounds.ts";
import type { Tree } from "../../core/tree/changes.ts";
import { LARGE_CHUNK_BYTES, SPARE_MEMORY } from "../../core/spare_memory.ts";
import { formatBytes, KIB, MIB } from "../../schemas/units.ts";
import { type ByteReader, byteReader, MIN_VIEW_BYTES } from "./byte_reader.ts";
import { whilePermitted } from "./permit.ts";
import { TransferWatch } from "./transfer_watch.ts";

/** The largest JSON body, in bytes (C 3). */
export const MAX_JSON_BYTES = MIB;
/** The most in a JSON body: parsing it takes some milliseconds of the event loop. */
const JSON_BOUNDS = { maxDepth: 100, maxValues: 50_000, maxObjects: 20_000 };
/** How long a JSON body may take, in milliseconds. */
const MAX_JSON_MS = 120_000;

/** The memory that a whole body is read into at first. */
const MIN_MEMORY_BYTES = 4096;
/** The most memory that streamed content is read into at first. */
const MAX_FIRST_BYTES = 64 * KIB;

/**
 * How long reading what has already arrived may take: {@link MAX_BUSY_MS}, and a millisecond for each
 * {@link BYTES_PER_BUSY_MS} that were read. Chunks of 64 KiB take a hundredth of that, and chunks of a byte
 * up to a thousand times as long.
 */
const MAX_BUSY_MS = 2000;
const BYTES_PER_BUSY_MS = 500;

/**
 * From so many reads on in which nothing was waited for, a body has tiny chunks if these reads had fewer
 * bytes on average than this.
 */
const MIN_JUDGED_READS = 1000;
const MIN_MEAN_CHUNK_BYTES = 64;
/** Requests whose bodies have tiny chunks, or were given up for them. */
const TINY_CHUNKS = new WeakSet<object>();

/**
 * Whether the body of a request has come in tiny chunks. The runtime (2.9.6) moves all that has arrived of a
 * body for each chunk that it discards after an early reply, which can take minutes.
 */
export function hasTinyChunks(request: Request): boolean {
  return TINY_CHUNKS.has(request);
}

/** What a body is, for messages. */
type Subject = "body" | "form";

export interface BodyLimits {
  readonly maxBytes: number;
  /** The variable that sets `maxBytes`, if one does. */
  readonly setting?: string;
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
  readonly #request: object;
  /** As the client has stated it; a chunked body has none. */
  readonly #length: number | undefined;
  readonly #reader: ByteReader | undefined;
  readonly #subject: Subject;
  readonly #limits: BodyLimits;
  readonly #watch: TransferWatch;
  readonly #deadline: ReturnType<typeof setTimeout> | undefined;
  readonly #endPermit: () => void;
  #received = 0;
  /** Reads of a chunked body in which nothing was waited for. */
  #busyReads = 0;
  #busyBytes = 0;
  /** How long these reads took, in milliseconds. */
  #busyMs = 0;
  /** Why a timer gave the body up. */
  #expired: AppError | undefined;

  constructor(request: Pick<Request, "body" | "headers">, subject: Subject, limits: BodyLimits) {
    const { body, headers } = request;
    this.#request = request;
    const length = headers.get("Content-Length") ?? undefined;
    this.#length = length === undefined ? undefined : Number(length);
    this.#reader = body === null ? undefined : byteReader(body, length);
    this.#subject = subject;
    this.#limits = limits;
    const { stallMs, withinMs } = limits;
    this.#watch = new TransferWatch({
      windowMs: stallMs,
      onSlow: (reason) => this.#expire(unreadable(subject, `received ${reason}`)),
    });
    this.#endPermit = whilePermitted(request, (reason) => this.#expire(reason));
    this.#deadline = withinMs === undefined ? undefined : setTimeout(
      () => this.#expire(unreadable(subject, `not received within ${withinMs / 1000} s`)),
      withinMs,
    );
  }

  /**
   * Memory to read into at first: of `maxBytes`, or less if the body is so short that it takes half of that
   * at most, with room for seeing its end.
   */
  firstMemory(maxBytes: number): Chunk {
    const bytes = 2 * ((this.#length ?? maxBytes) + MIN_VIEW_BYTES);
    return new Uint8Array(bytes < maxBytes ? bytes : maxBytes);
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
    // Reading what has already arrived never yields to the event loop by itself.
    if (isTurnOver()) await takeTurn();
    this.#watch.wait();
    const turn = currentTurn();
    const started = performance.now();
    try {
      const result = await this.#reader.read(memory.subarray(from));
      this.#watch.moved(result.bytes);
      if (this.#expired !== undefined) throw this.#expired;
      this.#received += result.bytes;
      if (this.#length === undefined && currentTurn() === turn) {
        this.#judgeChunks(result.bytes, performance.now() - started);
      }
      if (this.#received > this.#limits.maxBytes) throw tooLarge(this.#subject, this.#limits);
      return { memory: new Uint8Array(result.buffer), bytes: result.bytes };
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw this.#expired ?? unreadable(this.#subject, "the transfer broke off", error);
    }
  }

  /** Reads the whole body into memory, within `maxBytes`. Cancels what is left if it fails. */
  async readAll(): Promise<Chunk> {
    let memory: Chunk = new Uint8Array(MIN_MEMORY_BYTES);
    let end = 0;
    try {
      for (;;) {
        if (end === memory.length) memory = await doubled(memory);
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
    this.#endPermit();
    await this.#reader?.cancel().catch(() => {
      // The client is gone: there is nothing left to discard.
    });
  }

  /** @throws {AppError} when the chunks of the body take too long for what is in them. */
  #judgeChunks(bytes: number, milliseconds: number): void {
    this.#busyReads++;
    this.#busyBytes += bytes;
    this.#busyMs += milliseconds;
    const areTiny = this.#busyBytes < this.#busyReads * MIN_MEAN_CHUNK_BYTES;
    if (this.#busyReads >= MIN_JUDGED_READS && areTiny) TINY_CHUNKS.add(this.#request);
    if (this.#busyMs <= MAX_BUSY_MS + this.#received / BYTES_PER_BUSY_MS) return;
    // To discard the rest would take as long.
    TINY_CHUNKS.add(this.#request);
    throw unreadable(this.#subject, "its chunks are too small: send larger ones, or its length");
  }

  #expire(why: AppError): void {
    this.#expired ??= why;
    this.cancel();
  }
}

/**
 * A body as content, in large chunks. The memory of each chunk is the reader's. Ending the iteration early
 * lets the server discard the rest of the body.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is too large, stalls or breaks off.
 */
export async function* bodyContent(
  request: Request,
  limits: BodyLimits,
): AsyncGenerator<Chunk, void> {
  const body = new BodyReader(request, "body", limits);
  let memory = body.firstMemory(MAX_FIRST_BYTES);
  let end = 0;
  try {
    for (;;) {
      const read = await body.readInto(memory, end);
      memory = read.memory;
      end += read.bytes;
      if (read.bytes === 0) break;
      if (end < memory.length) continue;
      const full = memory;
      memory = SPARE_MEMORY.take();
      if (full.length === LARGE_CHUNK_BYTES) {
        end = 0;
        yield full;
      } else {
        memory.set(full);
      }
    }
    const last = memory.subarray(0, end);
    memory = new Uint8Array();
    if (end > 0) yield last;
  } finally {
    SPARE_MEMORY.keep(memory);
    await body.cancel();
  }
}

/** The error for a body that cannot be read. */
export function unreadable(subject: Subject, why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the ${subject}: ${why}`, {
    cause,
  });
}

/** The error for a body of more than `maxBytes`. Names the setting that is to be changed. */
export function tooLarge(subject: Subject, { maxBytes, setting }: BodyLimits): AppError {
  const source = setting === undefined ? "" : ` (${setting})`;
  return unreadable(subject, `it is larger than ${formatBytes(maxBytes)}${source}`);
}

/** The limits of the body of an upload. */
export function uploadBodyLimits({ limits }: Tree): BodyLimits {
  const setting = "STRONGROOM_MAX_UPLOAD_REQUEST_SIZE";
  return { maxBytes: limits.maxUploadRequestSize, setting };
}

/**
 * The types of JSON, of which Git LFS has its own. One is what curl declares of `-d '{…}'` by itself: no route
 * takes such a form.
 */
const DECLARED_JSON = /^\s*application\/(?:json|vnd\.git-lfs\+json|x-www-form-urlencoded)\s*(;|$)/i;

/**
 * The bytes of a body that is declared as JSON, as a form of curl's, or not at all (C 3).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when its type is another, or it cannot be read.
 */
export async function jsonBytes(request: Request, limits: BodyLimits): Promise<Chunk> {
  const type = request.headers.get("Content-Type");
  if (type !== null && !DECLARED_JSON.test(type)) {
    throw unreadable("body", `the Content-Type is ${quoted(type)}, not application/json`);
  }
  return await new BodyReader(request, "body", limits).readAll();
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
  { withinMs = MAX_JSON_MS, isOptional = false } = {},
): Promise<v.InferOutput<Schema>> {
  const bytes = await jsonBytes(request, { maxBytes: MAX_JSON_BYTES, withinMs });
  const exceeded = exceededBound(bytes, JSON_BOUNDS);
  if (exceeded !== undefined) throw unreadable("body", `it has ${exceeded}`);
  const body = isOptional && bytes.length === 0 ? {} : parseJson(bytes);
  // An array has none of the keys that a schema leaves to the client.
  if (Array.isArray(body)) throw unreadable("body", "it is an array, not an object");
  const result = v.safeParse(schema, body, { abortEarly: true });
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
