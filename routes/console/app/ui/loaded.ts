import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../shared/api.ts";
import { type LiveEvent, onLive, whenReachable } from "../shared/live.ts";
import { Loading, Problem } from "./states.ts";

/** How long after an event what is shown is loaded again, in milliseconds. */
const AGAIN_MS = 100;

/** What a place shows, while and after it is requested. */
export type Loaded<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "loaded"; readonly data: T };

export interface Load<T> {
  readonly state: Loaded<T>;
  readonly reload: () => void;
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
  const running = useRef<AbortController | undefined>(undefined);
  const endWaiting = useRef(() => {});
  const reload = () => {
    running.current?.abort();
    endWaiting.current();
    const { signal } = running.current = new AbortController();
    load(signal).then((data) => {
      if (signal.aborted) return;
      setState({ kind: "loaded", data });
    }, (error) => {
      if (signal.aborted) return;
      const isMissing = error instanceof ApiError && error.isOffline;
      if (isMissing) endWaiting.current = whenReachable(reload);
      setState((before) =>
        isMissing && before.kind === "loaded" ? before : { kind: "failed", error }
      );
    });
  };
  useEffect(() => {
    setState({ kind: "loading" });
    reload();
    let due: number | undefined;
    const end = onLive((event) => {
      if (event.type !== "reset" && !concerns(event)) return;
      // A change may have many events.
      due ??= setTimeout(() => {
        due = undefined;
        reload();
      }, AGAIN_MS);
    });
    return () => {
      end();
      clearTimeout(due);
      endWaiting.current();
      running.current?.abort();
    };
  }, inputs);
  return { state, reload };
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
