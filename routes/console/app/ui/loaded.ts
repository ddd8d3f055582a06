import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../shared/api.ts";
import { type LiveEvent, onLive, whenReachable } from "../shared/live.ts";
import { Loading, Problem } from "./states.ts";

/** How long after an event what is shown is loaded again at the earliest, in milliseconds, */
const AGAIN_MS = 100;
/** after how many times as long as it has taken to load, and at the latest. */
const REST = 5;
const MAX_REST_MS = 5000;

/** What a place shows, while and after it is requested. */
export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "loaded"; readonly data: T };

export interface Load<T> {
  readonly state: Loaded<T>;
  readonly reload: () => void;
  /** As `reload`, but in a moment, together with what else changes until then. */
  readonly reloadSoon: () => void;
}

/**
 * Loads what a component shows, and again when the inputs change, when an event concerns it, and when the
 * server is there again. What is shown stays until the reply arrives, and while the server cannot be reached.
 *
 * @param concerns Whether an event may have changed it.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  concerns: (event: LiveEvent) => boolean = () => false,
): Load<T> {
  const [state, setState] = useState<Loaded<T>>({ kind: "loading" });
  // Whoever reloads later wants what is shown then.
  const latest = useRef(load);
  latest.current = load;
  const running = useRef<AbortController | undefined>(undefined);
  const endWaiting = useRef(() => {});
  /** When it will be loaded again, and whether what is being loaded may lack a change. */
  const due = useRef<number | undefined>(undefined);
  const isStale = useRef(false);
  /** When it may be loaded again after an event, by the clock of the page. */
  const rested = useRef(0);
  const stop = () => {
    running.current?.abort();
    running.current = undefined;
    endWaiting.current();
    clearTimeout(due.current);
    due.current = undefined;
    isStale.current = false;
  };
  const reload = () => {
    stop();
    const { signal } = running.current = new AbortController();
    const start = performance.now();
    const end = (next: (before: Loaded<T>) => Loaded<T>) => {
      running.current = undefined;
      const now = performance.now();
      rested.current = now + Math.min(MAX_REST_MS, REST * (now - start));
      setState(next);
      if (isStale.current) reloadSoon();
    };
    latest.current(signal).then((data) => {
      if (!signal.aborted) end(() => ({ kind: "loaded", data }));
    }, (error) => {
      if (signal.aborted) return;
      const isMissing = error instanceof ApiError && error.isOffline;
      if (isMissing) endWaiting.current = whenReachable(reload);
      end((before) => isMissing && before.kind === "loaded" ? before : { kind: "failed", error });
    });
  };
  // Changes come by the hundred: what is being loaded is shown first, or nothing ever would be.
  const reloadSoon = () => {
    isStale.current = true;
    if (running.current !== undefined || due.current !== undefined) return;
    due.current = setTimeout(reload, Math.max(AGAIN_MS, rested.current - performance.now()));
  };
  useEffect(() => {
    setState({ kind: "loading" });
    rested.current = 0;
    reload();
    const end = onLive((event) => {
      // What is being loaded may never arrive.
      if (event.type === "reset") reload();
      else if (concerns(event)) reloadSoon();
    });
    return () => {
      end();
      stop();
    };
  }, inputs);
  return { state, reload, reloadSoon };
}

/** Shows what was loaded, or that it is on its way, or why it is not there. */
export function Await<T>(
  { loading, what, children, isPage = false }: {
    readonly loading: Load<T>;
    /** What is loaded, in words. */
    readonly what: string;
    /** Whether it stands for the whole page, as that of {@link Problem}. @default false */
    readonly isPage?: boolean;
    readonly children: (data: T) => ComponentChild;
  },
): ComponentChild {
  const { state, reload } = loading;
  switch (state.kind) {
    case "loading":
      return h(Loading, { what });
    case "failed":
      return h(Problem, { error: state.error, retry: reload, isPage });
    case "loaded":
      return children(state.data);
  }
}
