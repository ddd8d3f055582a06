/** How a folder was looked at, which is kept for whoever comes back to it. */
export interface KeptView {
  /** How far its list is scrolled, in pixels. */
  top: number;
}

/** By the keys of entries of the browser's history. */
const kept = new Map<string, KeptView>();

/** How the folder was looked at here, in the history of the browser. */
export function keptView(): KeptView {
  const key = keyOfEntry();
  const before = kept.get(key);
  if (before !== undefined) return before;
  const view = { top: 0 };
  kept.set(key, view);
  return view;
}

function keyOfEntry(): string {
  const state: unknown = history.state;
  if (typeof state === "string") return state;
  const key = `${performance.timeOrigin} ${performance.now()}`;
  history.replaceState(key, "");
  return key;
}
