import { useEffect } from "preact/hooks";
import type { Load } from "../ui/loaded.ts";

/** How often what is shown is loaded again, in milliseconds: no event tells what comes in. */
const AGAIN_MS = 5000;

/** Loads again every few seconds what is shown, while the page is seen. */
export function useRefresh<T>({ state, reload }: Load<T>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      timer = setTimeout(() => document.hidden ? wait() : reload(), AGAIN_MS);
    };
    if (state.kind === "loaded") wait();
    return () => clearTimeout(timer);
  }, [state]);
}
