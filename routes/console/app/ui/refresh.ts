import { useEffect } from "preact/hooks";
import { ownChanges } from "../shared/api.ts";
import type { Load } from "./loaded.ts";

/** How often what others change is loaded again, in milliseconds. */
const AGAIN_MS = 30_000;

/**
 * Loads again what no event tells of: after a change that this page has made, when the page is seen again, and every
 * now and then while it is seen.
 *
 * @param everyMs How often, in milliseconds.
 */
export function useRefresh<T>(
  { state, reload, reloadSoon }: Load<T>,
  everyMs: number = AGAIN_MS,
): void {
  useEffect(() => ownChanges.subscribe(reloadSoon), []);
  useEffect(() => {
    const onSeen = () => document.hidden || reloadSoon();
    document.addEventListener("visibilitychange", onSeen);
    return () => document.removeEventListener("visibilitychange", onSeen);
  }, []);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(() => document.hidden ? wait() : reload(), everyMs);
    };
    if (state.kind === "loaded") wait();
    return () => clearTimeout(timer);
  }, [state]);
}
