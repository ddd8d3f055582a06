import type { Context } from "hono";
import { type Chunk, joinChunks } from "../core/content.ts";
import { AppError, quoted } from "../core/errors.ts";
import type { ValidateReport } from "../core/reports.ts";
import type { AppEnvironment } from "./environment.ts";
import { MAX_BODY_BYTES } from "./json_body.ts";
import type { Places } from "./places.ts";
import { SEND_STALL_MS } from "./stall.ts";
import { streamed } from "./streamed.ts";
import { MIB } from "../schemas/units.ts";

/** The largest report, in bytes (C 15). */
const MAX_REPORT_BYTES = 64 * MIB;
/** How many large reports may be in memory at once; others wait unread. */
export const LARGE_REPORTS = 4;
/** How much of a reply is handed to the network at a time, in bytes. */
const PIECE_BYTES = MIB;

const encoder = new TextEncoder();

/** `POST /reports/validate` (C 15). A large report has one of the places from its first byte to the last of the reply. */
export async function validateReports(
  c: Context<AppEnvironment>,
  validate: ValidateReport,
  places: Places,
): Promise<Response> {
  using held = new DisposableStack();
  if (mayBeLarge(c.req.raw)) held.use(await placeFor(c.req.raw, places));
  const verdict = await validate(await reportBody(c.req.raw));
  return await streamed(c, enveloped(verdict, held.move()), {
    headers: { "Content-Type": "application/json" },
  });
}

async function placeFor({ signal }: Request, places: Places): Promise<Disposable> {
  try {
    return await places.take(signal);
  } catch (error) {
    throw invalid("it did not arrive whole", error);
  }
}

/** Whether a body may be larger than those of other requests, which need no place. */
function mayBeLarge({ headers }: Request): boolean {
  const length = headers.get("Content-Length");
  return length === null || Number(length) > MAX_BODY_BYTES;
}

/** The envelope around a payload that is JSON already (C 2); `held` is let go of behind it. */
async function* enveloped(data: Chunk, held: DisposableStack): AsyncGenerator<Chunk> {
  using _held = held;
  yield encoder.encode('{"status":"success","data":');
  for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
  yield encoder.encode("}\n");
}

export interface ReportLimits {
  /** @default 67108864 */
  readonly maxBytes?: number;
  /** How long the body may bring nothing, in milliseconds. @default 120000 */
  readonly stallMs?: number;
}

/**
 * The bytes of a JSON body that is larger than others (C 3, C 15).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where it is not said to be JSON, is too large or
 *   does not arrive.
 */
export async function reportBody(
  request: Request,
  { maxBytes = MAX_REPORT_BYTES, stallMs = SEND_STALL_MS }: ReportLimits = {},
): Promise<Chunk> {
  const type = request.headers.get("Content-Type");
  if (type !== null && !/^\s*application\/json\s*(;|$)/i.test(type)) {
    throw invalid(`the Content-Type is ${quoted(type)}, not application/json`);
  }
  const reader = request.body?.getReader();
  const chunks: Chunk[] = [];
  let size = 0;
  try {
    for (;;) {
      const chunk = await nextChunk(reader, stallMs);
      if (chunk === undefined) return joinChunks(chunks);
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) throw invalid(`it is larger than ${maxBytes} bytes`);
    }
  } finally {
    // What is left of the body is not for this handler.
    await reader?.cancel().catch(() => {});
  }
}

async function nextChunk(
  reader: ReadableStreamDefaultReader<Chunk> | undefined,
  stallMs: number,
): Promise<Chunk | undefined> {
  let stalled = false;
  const timer = setTimeout(() => {
    stalled = true;
    reader?.cancel().catch(() => {});
  }, stallMs);
  try {
    const next = await reader?.read();
    if (stalled) throw invalid(`nothing of it came for ${stallMs / 1000} s`);
    return next?.value;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw invalid("it did not arrive whole", error);
  } finally {
    clearTimeout(timer);
  }
}

function invalid(why: string, cause?: unknown): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot read the body: ${why}`, { cause });
}
