import type { Context } from "hono";
import { type Caller, scopeOf } from "../core/caller.ts";
import type { Chunk } from "../core/content.ts";
import { AppError, quoted } from "../core/errors.ts";
import type { EventBatch, EventBus } from "../core/events.ts";
import type { ScanEvent } from "../core/scans/ports.ts";
import type { ResourceEvent } from "../core/tree/changes.ts";
import { callerOf } from "./auth.ts";
import { entryOf, scanOf } from "./entries.ts";
import type { AppEnvironment } from "./environment.ts";
import { parseQuery } from "./query.ts";
import { streamed } from "./streamed.ts";

/** How long a stream may be silent, in milliseconds. Proxies close idle connections (C 11). */
const HEARTBEAT_MS = 15_000;

/** The longest timer. A client whose stream ends reconnects. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const encoder = new TextEncoder();

/** Everything that happens in this server. */
type ServerEvent = ResourceEvent | ScanEvent;
export type ServerEvents = EventBus<ServerEvent>;

export interface EventOptions {
  /** @default 15000 */
  readonly heartbeatMs?: number;
}

/** `GET /events/` as Server-Sent Events (C 11). */
export async function streamEvents(
  c: Context<AppEnvironment>,
  events: ServerEvents,
  { heartbeatMs = HEARTBEAT_MS }: EventOptions = {},
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const caller = callerOf(c);
  const { userId, everyone } = scopeOf(caller);
  const all = wantsAll(query.get("scope")?.[0] ?? "own", everyone);
  const gone = new AbortController();
  const batches = events.subscribe({
    after: c.req.header("Last-Event-ID") ?? query.get("last_event_id")?.[0],
    accepts: (event) => all || ownerOf(event) === userId,
    idleMs: heartbeatMs,
    signal: AbortSignal.any([gone.signal, expiry(caller)]),
  });
  return await streamed(c, eventStream(batches), {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      // Keeps nginx from buffering events.
      "X-Accel-Buffering": "no",
    },
    onCancel: () => gone.abort(),
  });
}

function ownerOf(event: ServerEvent): number {
  return "scan" in event ? event.scan.userId : event.record.userId;
}

/** Aborts when the credential expires. */
function expiry({ expiresAt }: Caller): AbortSignal {
  const left = Math.max(0, expiresAt - Date.now());
  return AbortSignal.timeout(Math.min(left, MAX_TIMER_MS));
}

function wantsAll(scope: string, permitted: boolean): boolean {
  if (scope === "own") return false;
  if (scope !== "all") {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid scope ${quoted(scope)}: expected own or all`,
    );
  }
  if (permitted) return true;
  throw new AppError("ErrNotPermitted", "Privilege resources.admin required");
}

async function* eventStream(
  batches: AsyncIterable<EventBatch<ServerEvent>>,
): AsyncGenerator<Chunk> {
  for await (const batch of batches) yield encoder.encode(batchText(batch));
}

function batchText(batch: EventBatch<ServerEvent>): string {
  if (batch.kind === "reset") return `event: reset\nid: ${batch.id}\ndata: {}\n\n`;
  // Keeps the connection alive. The id advances the position that the client reconnects from.
  if (batch.events.length === 0) return `: keep-alive\nid: ${batch.id}\n\n`;
  return batch.events.map((event) => {
    const data = "scan" in event ? scanOf(event.scan) : entryOf(event.record);
    return `event: ${event.type}\nid: ${event.id}\ndata: ${JSON.stringify(data)}\n\n`;
  }).join("");
}
