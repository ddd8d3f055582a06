import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { Chunk } from "../../core/content.ts";
import { KIB } from "../../schemas/units.ts";
import type { AppEnvironment, Delivery } from "../request/environment.ts";
import { whilePermitted } from "../request/permit.ts";
import { respond } from "./respond.ts";
import { TransferWatch } from "../request/transfer_watch.ts";

/** Larger bodies are streamed, so that a client that reads nothing keeps little memory. */
const MAX_WHOLE_BYTES = 64 * KIB;

export interface StreamedOptions {
  readonly status?: StatusCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the client disconnects, before the content is closed. */
  readonly onCancel?: () => void;
  /**
   * Called when what the request was permitted by ends (C 27): the content is to end then.
   * @default aborts the connection, as the client would take a part for the whole
   */
  readonly onEnd?: () => void;
  /** How long the client may read nothing, in milliseconds. @default 60000 */
  readonly stallMs?: number;
}

/**
 * A response with the content as its body. The first chunk is read before anything is sent, so content
 * that fails at once becomes an error response (RS 4.7.6). Content that fails later aborts the
 * connection. `content` is closed when the response ends. Small content that is all in one chunk is sent
 * without a stream, which would take longer than all else. A chunk belongs to the response: its memory is
 * freed when the next one is needed.
 * See docs/design/downloads.md.
 */
export async function streamed(
  c: Context<AppEnvironment>,
  content: AsyncIterator<Chunk>,
  { status = 200, headers, onCancel = () => {}, onEnd, stallMs }: StreamedOptions,
): Promise<Response> {
  let ahead: IteratorResult<Chunk> | undefined = await content.next();
  if (c.req.method === "HEAD") {
    await content.return?.();
    return respond(c, null, status, headers);
  }
  if (!ahead.done && isWhole(ahead.value, headers)) {
    await content.return?.();
    return respond(c, ahead.value, status, headers);
  }
  const delivery = Promise.withResolvers<Delivery>();
  c.set("delivery", delivery.promise);
  let bytes = 0;
  let cancelled = false;
  // The runtime prints this error. The log has the reason.
  const aborted = () => new Error(`Response aborted (request id ${c.get("requestId")})`);
  const endWatch = () => {
    watch.end();
    endPermit();
  };
  const giveUp = async (error?: unknown) => {
    endWatch();
    cancelled = true;
    onCancel();
    try {
      await content.return?.();
      delivery.resolve({ bytes, complete: false, error });
    } catch (error) {
      delivery.resolve({ bytes, complete: false, error });
    }
  };
  let last: Chunk | undefined;
  let abort = () => {};
  const watch = new TransferWatch({
    windowMs: stallMs,
    isBuffered: true,
    onSlow: (reason) => {
      abort();
      giveUp(new Error(`Client stalled: it read ${reason}`));
    },
  });
  const endPermit = whilePermitted(c.req.raw, (reason) => {
    if (onEnd !== undefined) return onEnd();
    abort();
    giveUp(reason);
  });
  const body = new ReadableStream<Chunk>({
    start(controller) {
      abort = () => controller.error(aborted());
    },
    async pull(controller) {
      watch.moved(last?.length ?? 0);
      if (last !== undefined) free(last);
      last = undefined;
      try {
        const { done, value } = ahead ?? await content.next();
        ahead = undefined;
        if (cancelled) return;
        if (done) {
          endWatch();
          controller.close();
          delivery.resolve({ bytes, complete: true });
          return;
        }
        bytes += value.length;
        controller.enqueue(value);
        last = value;
        // The next pull comes when the client has read this chunk.
        watch.wait();
      } catch (error) {
        if (cancelled) return;
        endWatch();
        controller.error(aborted());
        delivery.resolve({ bytes, complete: false, error });
      }
    },
    cancel: () => giveUp(),
  }, { highWaterMark: 0 });
  return respond(c, body, status, headers);
}

/**
 * Frees the memory of a chunk that the runtime has taken, which keeps what it has yet to send. Otherwise
 * chunks add up until the garbage is collected, for which V8 marks its whole heap again and again. Memory
 * that other chunks may share is left to V8.
 */
function free({ buffer, length }: Chunk): void {
  if (length > 0 && length === buffer.byteLength) buffer.transfer(0);
}

/** Whether a chunk is the whole body, and small. */
function isWhole(chunk: Chunk, headers: Readonly<Record<string, string>>): boolean {
  return chunk.length <= MAX_WHOLE_BYTES && headers["Content-Length"] === String(chunk.length);
}
