import type { Context } from "hono";
import { type Caller, ownerOf, requireEveryone } from "../core/caller.ts";
import type { Chunk } from "../core/content.ts";
import { entryOf as resourceEntry } from "../core/entries.ts";
import type { EventEntry } from "../core/event_channel.ts";
import { type EventBatch, EventBus, type ReplayLimits } from "../core/events.ts";
import type { VerdictEvent } from "../core/verdicts.ts";
import type { ResourceEvent } from "../core/tree/change_set.ts";
import { callerOf } from "./serving/auth.ts";
import { scanOf } from "./reply/entries.ts";
import type { AppEnvironment } from "./request/environment.ts";
import { hasEnded } from "./request/permit.ts";
import { parseQuery, wantsAll } from "./request/query.ts";
import { streamed } from "./reply/streamed.ts";
import type { EventOptions, ServerEvent, ServerEvents } from "./serving/route.ts";

/** How long a stream may be silent, in milliseconds. Proxies close idle connections (C 11). */
const HEARTBEAT_MS = 15_000;

/** The longest timer. A client whose stream ends reconnects. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const encoder = new TextEncoder();

/** What an event takes in memory, besides paths, in bytes. */
const EVENT_BYTES = 320;

/** The events of a server that keeps them in memory. */
export function serverEvents(limits?: ReplayLimits): ServerEvents {
  return new EventBus(eventEntry, limits);
}

/** `GET /events/` as Server-Sent Events (C 11). */
export async function streamEvents(
  c: Context<AppEnvironment>,
  events: ServerEvents,
  { heartbeatMs = HEARTBEAT_MS }: EventOptions = {},
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const caller = callerOf(c);
  const all = wantsAll(query);
  if (all) requireEveryone(caller);
  const gone = new AbortController();
  const batches = events.subscribe({
    after: c.req.header("Last-Event-ID") ?? query.get("last_event_id")?.[0],
    owner: all ? undefined : ownerOf(caller),
    idleMs: heartbeatMs,
    signal: AbortSignal.any([gone.signal, expiry(caller)]),
  });
  return await streamed(c, eventStream(batches, () => hasEnded(c.req.raw)), {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      // Keeps nginx from buffering events.
      "X-Accel-Buffering": "no",
    },
    onCancel: () => gone.abort(),
    onEnd: () => gone.abort(),
  });
}

/** Aborts when the credential expires. */
function expiry({ expiresAt }: Caller): AbortSignal {
  const left = Math.max(0, expiresAt - Date.now());
  return AbortSignal.timeout(Math.min(left, MAX_TIMER_MS));
}

async function* eventStream(
  batches: AsyncIterable<EventBatch>,
  hasEnded: () => Promise<boolean>,
): AsyncGenerator<Chunk> {
  for await (const batch of batches) {
    if (await hasEnded()) return;
    yield encoder.encode(batchText(batch));
  }
}

function batchText(batch: EventBatch): string {
  if (batch.kind === "reset") return `event: reset\nid: ${batch.id}\ndata: {}\n\n`;
  // Keeps the connection alive. The id is the position that the client reconnects from.
  if (batch.events.length === 0) return `: keep-alive\nid: ${batch.id}\n\n`;
  return batch.events.map(({ id, text }) => `id: ${id}\n${text}\n\n`).join("");
}

/** What subscribers receive of an event. */
export function eventEntry(event: ServerEvent): EventEntry {
  if (event.type === "resource.verdict") return verdictEntry(event);
  if ("record" in event) return new RecordEvent(event);
  const { type, scan } = event;
  const text = eventText(type, scanOf(scan));
  return { owner: scan.userId, bytes: EVENT_BYTES + text.length, text };
}

function verdictEntry({ type, record: { userId, id, path }, verdict }: VerdictEvent): EventEntry {
  const text = eventText(type, { id, path, verdict });
  return { owner: userId, bytes: EVENT_BYTES + text.length, text };
}

/** An event that becomes text when the first subscriber reads it, as nobody may ever do. */
class RecordEvent implements EventEntry {
  readonly owner: number;
  readonly bytes: number;
  readonly #type: string;
  readonly #version: number | undefined;
  #record: ResourceEvent["record"] | undefined;
  /** Kept instead of the text, which V8 would keep in pieces. */
  #json = "";

  constructor({ type, record, version }: ResourceEvent) {
    const { userId, path, name } = record;
    this.owner = userId;
    // Path and name are in the record and in the text.
    this.bytes = EVENT_BYTES + 2 * (path.length + name.length);
    this.#type = type;
    this.#version = version;
    this.#record = record;
  }

  get text(): string {
    if (this.#record !== undefined) {
      this.#json = JSON.stringify({ ...resourceEntry(this.#record), version: this.#version });
      this.#record = undefined;
    }
    return textOf(this.#type, this.#json);
  }
}

function eventText(type: string, data: unknown): string {
  return textOf(type, JSON.stringify(data));
}

function textOf(type: string, json: string): string {
  return `event: ${type}\ndata: ${json}`;
}
