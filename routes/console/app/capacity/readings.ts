import type { CapacityOverview } from "../../../../schemas/capacity.ts";
import { ApiError, call } from "../shared/api.ts";
import { Store } from "../shared/store.ts";

/** What the server said at a time. */
export interface Reading {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  readonly overview: CapacityOverview;
}

export interface Readings {
  /** Oldest first. */
  readonly list: readonly Reading[];
  /** Why the last request failed, if it did. */
  readonly error?: unknown;
}

/** How far plots reach back, in milliseconds. */
export const WINDOW_MS = 5 * 60_000;
const INTERVAL_MS = 2000;

/** The readings of the last minutes. They stay while the person is in other rooms. */
export const readings = new Store<Readings>({ list: [] });

/** Reads the capacity now and every two seconds while the page is visible. Returns what ends that. */
export function followCapacity(): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const turn = async () => {
    if (!document.hidden) await read(signal);
    if (!signal.aborted) timer = setTimeout(() => void turn(), INTERVAL_MS);
  };
  void turn();
  return () => {
    ending.abort();
    clearTimeout(timer);
  };
}

async function read(signal: AbortSignal): Promise<void> {
  const kept = () => readings.value.list.filter(({ at }) => at > Date.now() - WINDOW_MS);
  try {
    const overview = await call<CapacityOverview>("GET", "/capacity/", { inTree: false, signal });
    readings.set({ list: [...kept(), { at: Date.now(), overview }] });
  } catch (error) {
    if (signal.aborted) return;
    const isOffline = error instanceof ApiError && error.isOffline;
    // The banner says that the server is away; the last readings stay.
    readings.set({ list: isOffline ? readings.value.list : [], error });
  }
}
