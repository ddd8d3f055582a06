import { type ComponentChild, h } from "preact";
import { ago, time } from "../shared/format.ts";
import { Store, useStore } from "../shared/store.ts";

/** How often what is shown as `5 minutes ago` is said anew, in milliseconds. */
const AGAIN_MS = 30_000;

const now = new Store(Date.now());

/** Has the time go on in what is shown, while the page is seen. Call it once. */
export function followTime(): void {
  const go = () => document.hidden || now.set(Date.now());
  setInterval(go, AGAIN_MS);
  document.addEventListener("visibilitychange", go);
}

/** A time as `5 minutes ago`, with the exact one as a hint. */
export function Ago(
  { at, title = time(at) }: {
    readonly at: string;
    /** @default the time */
    readonly title?: string;
  },
): ComponentChild {
  useStore(now);
  return h("time", { dateTime: at, title }, ago(at));
}
