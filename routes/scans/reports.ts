import type { Context } from "hono";
import type { Chunk } from "../../core/content.ts";
import type { ValidateReport } from "../../core/reports.ts";
import { reportJsonSchema } from "../../schemas/report/report.ts";
import { MIB } from "../../schemas/units.ts";
import { jsonBytes, MAX_JSON_BYTES, unreadable } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { callerOf } from "../serving/auth.ts";
import { respond } from "../reply/respond.ts";
import { streamed } from "../reply/streamed.ts";

/** The largest report, in bytes (C 15). */
const MAX_REPORT_BYTES = 64 * MIB;
/** How many large reports may be in memory at once, and how many of one user. Others wait, unread. */
export const MAX_LARGE_REPORTS = 4;
const MAX_LARGE_REPORTS_OF_USER = 1;
/** How long a report may take to arrive, in milliseconds. The largest needs 220 KB/s. */
const MAX_REPORT_MS = 5 * 60_000;
/** How much of a reply is passed to the network at a time, in bytes. */
const PIECE_BYTES = MIB;

const encoder = new TextEncoder();
const reportSchema = encoder.encode(JSON.stringify(reportJsonSchema()));

/** `GET /reports/schema`: the bare JSON Schema of a report (SR). */
export function showReportSchema(c: Context<AppEnvironment>): Response {
  return respond(c, reportSchema, 200, { "Content-Type": "application/schema+json" });
}

/** Bounds how many large reports are in memory at once. */
export function largeReportPermits(): Semaphore {
  return new Semaphore(MAX_LARGE_REPORTS, MAX_LARGE_REPORTS_OF_USER);
}

/**
 * `POST /reports/validate` (C 15). A large report holds a permit from its first byte to the last byte
 * of the reply.
 */
export async function validateReports(
  c: Context<AppEnvironment>,
  validate: ValidateReport,
  largeReports: Semaphore,
  { withinMs = MAX_REPORT_MS } = {},
): Promise<Response> {
  using held = new DisposableStack();
  if (mayBeLarge(c.req.raw)) held.use(await permitFor(c, largeReports));
  const body = await jsonBytes(c.req.raw, { maxBytes: MAX_REPORT_BYTES, withinMs });
  const verdict = await validate(body);
  return await streamed(c, enveloped(verdict, held.move()), {
    headers: { "Content-Type": "application/json" },
  });
}

async function permitFor(
  c: Context<AppEnvironment>,
  largeReports: Semaphore,
): Promise<Disposable> {
  try {
    return await largeReports.acquire(c.req.raw.signal, callerOf(c).userId);
  } catch (error) {
    throw unreadable("body", "the transfer broke off", error);
  }
}

/** Whether a body may be larger than those of other requests, which need no permit. */
function mayBeLarge({ headers }: Request): boolean {
  const length = headers.get("Content-Length");
  return length === null || Number(length) > MAX_JSON_BYTES;
}

/** The envelope around a payload that is JSON already (C 2). Releases `held` at the end. */
async function* enveloped(data: Chunk, held: DisposableStack): AsyncGenerator<Chunk> {
  using _held = held;
  yield encoder.encode('{"status":"success","data":');
  for (let at = 0; at < data.length; at += PIECE_BYTES) yield data.subarray(at, at + PIECE_BYTES);
  yield encoder.encode("}\n");
}
