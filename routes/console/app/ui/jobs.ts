import { type ComponentChild, h } from "preact";
import { count } from "../shared/format.ts";
import { session } from "../shared/session.ts";
import { Store, useStore } from "../shared/store.ts";
import { Button } from "./button.ts";

/** Work that takes a while, and goes on beside all else. */
interface Job {
  readonly title: string;
  readonly done: number;
  readonly total: number;
  readonly stop: () => void;
}

/** Work that ends earlier is not shown, in milliseconds. */
const SHOW_MS = 300;

const jobs = new Store<readonly Job[]>([]);
const running = new Set<AbortController>();
session.subscribe(() => {
  if (session.value.kind === "signedIn") return;
  for (const it of running) it.abort();
});

/**
 * Shows how far work is, with a button that ends it, which aborts the signal.
 *
 * @param title What is done, such as "Deleting 5,000 files".
 */
export async function runJob<T>(
  title: string,
  total: number,
  work: (signal: AbortSignal, onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  running.add(abort);
  let shown: Job = { title, done: 0, total, stop: () => abort.abort() };
  const timer = setTimeout(() => jobs.set([...jobs.value, shown]), SHOW_MS);
  try {
    return await work(abort.signal, (done) => {
      const before = shown;
      shown = { ...shown, done };
      jobs.set(jobs.value.map((job) => job === before ? shown : job));
    });
  } finally {
    clearTimeout(timer);
    running.delete(abort);
    jobs.set(jobs.value.filter((job) => job !== shown));
  }
}

/** The work that goes on. */
export function Jobs(): ComponentChild {
  return h(
    "div",
    { class: "toasts jobs" },
    useStore(jobs).map(({ title, done, total, stop }) =>
      h(
        "section",
        { key: title, class: "toast", "aria-label": title },
        h(
          "span",
          null,
          `${title}: ${count(done)} of ${count(total)}`,
          h("progress", { "aria-label": title, max: total, value: done }),
        ),
        h(Button, { label: "Stop", kind: "quiet", onClick: stop }),
      )
    ),
  );
}
