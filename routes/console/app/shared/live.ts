import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { ApiError, request } from "./api.ts";
import { begin, EVENTS_PATH } from "./beginning.ts";
import { session, shownAt, shownTree } from "./session.ts";
import { Store } from "./store.ts";

/** A change that the server reports (C 11). `reset` stands for changes that were missed: list again. */
export type LiveEvent =
  | { readonly type: "reset" }
  | {
    readonly type: "resource.added" | "resource.updated" | "resource.deleted";
    /** With the version of the tree that the change has made, if the server keeps history. */
    readonly data: ResourceEntry & { readonly version?: number };
  }
  | {
    readonly type: "resource.verdict";
    readonly data: Pick<VerdictEntry, "id" | "path" | "verdict">;
  }
  | {
    readonly type: "scan.queued" | "scan.started" | "scan.progress" | "scan.finished";
    readonly data: ScanEntry;
  };

/** The changes of files and folders. */
type ResourceEvent = Extract<LiveEvent, { readonly type: `resource.${string}` }>;
/** The changes of scans. */
type ScanEvent = Extract<LiveEvent, { readonly type: `scan.${string}` }>;

/** Whether a file or folder has changed. */
export function isOfResource(event: LiveEvent): event is ResourceEvent {
  return event.type.startsWith("resource.");
}

/** Whether a scan has changed. */
export function isOfScan(event: LiveEvent): event is ScanEvent {
  return event.type.startsWith("scan.");
}

/** Whether changes arrive. */
export const connection = new Store<"connecting" | "open" | "lost">("connecting");

const MAX_DELAY_MS = 8000;
const listeners = new Set<(event: LiveEvent) => void>();
let running: AbortController | undefined;

/** Calls the listener with each change in the tree that is shown. Returns what ends that. */
export function onLive(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** As {@link onLive}, for what shows files: what was does not change. */
export function onShown(listener: (event: LiveEvent) => void): () => void {
  return shownAt.value === undefined ? onLive(listener) : () => {};
}

/** When what could not be loaded is asked for again, in milliseconds. */
const AGAIN_MS = 5000;

/**
 * Calls `again` once, when the server can be reached again: as soon as changes arrive anew, or after some seconds if
 * they never ceased to. Returns what ends that.
 */
export function whenReachable(again: () => void): () => void {
  const go = () => {
    end();
    again();
  };
  const timer = setInterval(() => connection.value === "lost" || go(), AGAIN_MS);
  const unsubscribe = connection.subscribe(() => connection.value === "open" && go());
  const end = () => {
    clearInterval(timer);
    unsubscribe();
  };
  return end;
}

/** Follows the changes of the tree that is shown while a person is signed in. Call it once. */
export function followChanges(): void {
  const restart = (isAgain = false) => {
    running?.abort();
    running = undefined;
    if (session.value.kind !== "signedIn") return;
    running = new AbortController();
    void follow(running.signal, isAgain);
  };
  // What is shown stays if the same person goes on with another session.
  session.subscribe(() => restart(running !== undefined));
  shownTree.subscribe(() => restart());
  // A computer that was asleep does not wait for the next attempt. What it has missed is listed again.
  addEventListener("online", () => {
    connection.set("lost");
    restart();
  });
  restart();
}

/**
 * Keeps a stream of events open. Events that a broken one has missed arrive by the id of the last one.
 *
 * @param isAgain Whether what is shown is from before, so that changes may have been missed.
 */
async function follow(signal: AbortSignal, isAgain: boolean): Promise<void> {
  let lastId: string | undefined;
  const beginning = begin(() => signal.aborted || publish({ type: "reset" }));
  const onId = (id: string) => {
    lastId = id;
    if (!beginning.isOver) beginning.end(id);
  };
  if (connection.value !== "lost") connection.set("connecting");
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const { body } = await request("GET", EVENTS_PATH, {
        signal,
        headers: lastId === undefined ? {} : { "Last-Event-ID": lastId },
      });
      const isBehind = isAgain || connection.value === "lost";
      if (isBehind && lastId === undefined) publish({ type: "reset" });
      connection.set("open");
      attempt = 0;
      if (body !== null) await readEvents(body, onId);
    } catch (error) {
      if (signal.aborted || isRefusal(error)) return;
    }
    if (signal.aborted) return;
    connection.set("lost");
    await sleep(Math.min(MAX_DELAY_MS, 250 * 2 ** attempt), signal);
  }
}

/** Without the privilege to see changes, there is nothing to follow; without a session, neither. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onId: (id: string) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const { id, event = "", data = "null" } = fieldsOf(block);
      if (id !== undefined) onId(id);
      const change = eventOf(event, data);
      if (change !== undefined) publish(change);
    }
  }
}

/** An event of the server, which promises the shape of its data by the type. Undefined for others. */
function eventOf(type: string, data: string): LiveEvent | undefined {
  switch (type) {
    case "reset":
      return { type };
    case "resource.added":
    case "resource.updated":
    case "resource.deleted":
    case "resource.verdict":
    case "scan.queued":
    case "scan.started":
    case "scan.progress":
    case "scan.finished":
      return { type, data: JSON.parse(data) };
    default:
      return undefined;
  }
}

function fieldsOf(block: string): { id?: string; event?: string; data?: string } {
  return Object.fromEntries(
    block.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
}

function publish(event: LiveEvent): void {
  for (const listener of [...listeners]) listener(event);
}

/** Waits, at most until the signal is aborted. @param ms Milliseconds. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
