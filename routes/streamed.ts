import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { Chunk } from "../core/content.ts";
import { KIB } from "../schemas/units.ts";
import type { AppEnvironment, Delivery } from "./environment.ts";

/**
 * How long a client may read nothing, in milliseconds. That it reads is seen only when the socket's
 * buffer, which may be megabytes, has room again: a slow client needs this long for it.
 */
const TAKE_STALL_MS = 20 * 60_000;

/** Larger bodies are streamed, so that a client that reads nothing keeps little memory. */
const MAX_WHOLE_BYTES = 64 * KIB;

export interface StreamedOptions {
  readonly status?: StatusCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the client disconnects, before the content is closed. */
  readonly onCancel?: () => void;
  /** How long the client may read nothing, in milliseconds. @default 1200000 */
  readonly stallMs?: number;
}

/**
 * A response with the content as its body. The first chunk is read before anything is sent, so content
 * that fails at once becomes an error response (RS 4.7.6). Content that fails later aborts the
 * connection. `content` is closed when the response ends. Small content that is all in one chunk is sent
 * without a stream, which would take longer than all else.
 */
export async function streamed(
  c: Context<AppEnvironment>,
  content: AsyncIterator<Chunk>,
  { status = 200, headers, onCancel = () => {}, stallMs = TAKE_STALL_MS }: StreamedOptions,
): Promise<Response> {
  let ahead: IteratorResult<Chunk> | undefined = await content.next();
  if (c.req.method === "HEAD") {
    await content.return?.();
    return c.newResponse(null, status, { ...headers });
  }
  if (!ahead.done && isWhole(ahead.value, headers)) {
    await content.return?.();
    return c.newResponse(ahead.value, status, { ...headers });
  }
  const delivery = Promise.withResolvers<Delivery>();
  c.set("delivery", delivery.promise);
  let bytes = 0;
  let cancelled = false;
  let stall: ReturnType<typeof setTimeout> | undefined;
  // The runtime prints this error. The log has the reason.
  const aborted = () => new Error(`Response aborted (request id ${c.get("requestId")})`);
  const giveUp = async (error?: unknown) => {
    clearTimeout(stall);
    cancelled = true;
    onCancel();
    try {
      await content.return?.();
      delivery.resolve({ bytes, complete: false, error });
    } catch (error) {
      delivery.resolve({ bytes, complete: false, error });
    }
  };
  const body = new ReadableStream<Chunk>({
    async pull(controller) {
      clearTimeout(stall);
      try {
        const { done, value } = ahead ?? await content.next();
        ahead = undefined;
        if (cancelled) return;
        if (done) {
          controller.close();
          delivery.resolve({ bytes, complete: true });
          return;
        }
        bytes += value.length;
        controller.enqueue(value);
        // The next pull comes when the client has read this chunk.
        stall = setTimeout(() => {
          controller.error(aborted());
          giveUp(new Error(`Client stalled: no data read for ${stallMs / 1000} s`));
        }, stallMs);
      } catch (error) {
        if (cancelled) return;
        controller.error(aborted());
        delivery.resolve({ bytes, complete: false, error });
      }
    },
    cancel: () => giveUp(),
  }, { highWaterMark: 0 });
  return c.newResponse(body, status, { ...headers });
}

/** Whether a chunk is the whole body, and small. */
function isWhole(chunk: Chunk, headers: Readonly<Record<string, string>>): boolean {
  return chunk.length <= MAX_WHOLE_BYTES && headers["Content-Length"] === String(chunk.length);
}
