import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../shared/api.ts";
import { connection, type LiveEvent, onLive } from "../shared/live.ts";
import { Loading, Problem } from "./states.ts";

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
  const isMissing = useRef(false);
  const reload = () => {
    running.current?.abort();
    const { signal } = running.current = new AbortController();
    load(signal).then((data) => {
      if (signal.aborted) return;
      isMissing.current = false;
      setState({ kind: "loaded", data });
    }, (error) => {
      if (signal.aborted) return;
      isMissing.current = error instanceof ApiError && error.isOffline;
      setState((before) =>
        isMissing.current && before.kind === "loaded" ? before : { kind: "failed", error }
      );
    });
  };
  useEffect(() => {
    setState({ kind: "loading" });
    reload();
    const ends = [
      onLive((event) => (event.type === "reset" || concerns(event)) && reload()),
      connection.subscribe(() => connection.value === "open" && isMissing.current && reload()),
    ];
    return () => {
      for (const end of ends) end();
      running.current?.abort();
    };
  }, inputs);
  return { state, reload };
}

/** Shows what was loaded, or that it is on its way, or why it is not there. */
export function Await<T>(
  { loading, what, children }: {
    readonly loading: Load<T>;
    /** What is loaded, in words. */
    readonly what: string;
    readonly children: (data: T) => ComponentChild;
  },
): ComponentChild {
  const { state, reload } = loading;
  switch (state.kind) {
    case "loading":
      return h(Loading, { what });
    case "failed":
      return h(Problem, { error: state.error, retry: reload });
    case "loaded":
      return children(state.data);
  }
}
