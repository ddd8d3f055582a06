import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { Chunk } from "../core/content.ts";
import type { AppEnvironment, Delivery } from "./environment.ts";

/**
 * How long a client may read nothing, in milliseconds. That it reads is seen only when the socket's
 * buffer, which may be megabytes, has room again: a slow client needs this long for it.
 */
const TAKE_STALL_MS = 20 * 60_000;

export interface StreamedOptions {
  readonly status?: StatusCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Called when the client goes away, before the content is returned. */
  readonly onCancel?: () => void;
  /** How long the client may read nothing, in milliseconds. @default 1200000 */
  readonly stallMs?: number;
}

/**
 * A response with the content as its body. The first chunk is awaited before anything is sent, so
 * that content which fails at once is an error response, and not a broken body (RS 4.7.6); one that
 * fails later breaks off the connection. `content` is returned at the latest when the response ends.
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
  const delivery = Promise.withResolvers<Delivery>();
  c.set("delivery", delivery.promise);
  let bytes = 0;
  let cancelled = false;
  let stall: ReturnType<typeof setTimeout> | undefined;
  // The runtime prints what it is given; the reason itself goes to the log.
  const brokeOff = () => new Error(`Reply broke off, see the request ${c.get("requestId")}`);
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
        // It is asked for more when this has been taken.
        stall = setTimeout(() => {
          controller.error(brokeOff());
          giveUp(new Error("The client takes nothing"));
        }, stallMs);
      } catch (error) {
        if (cancelled) return;
        controller.error(brokeOff());
        delivery.resolve({ bytes, complete: false, error });
      }
    },
    cancel: () => giveUp(),
  }, { highWaterMark: 0 });
  return c.newResponse(body, status, { ...headers });
}
