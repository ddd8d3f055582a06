import type { ResourceEntry } from "../../../../schemas/resources.ts";

let shown: readonly ResourceEntry[] = [];

/** Remembers the list that a file is opened from. */
export function rememberShown(entries: readonly ResourceEntry[]): void {
  shown = entries;
}

/** The paths of the files in the list that was shown last, in its order. */
export function shownFiles(): string[] {
  return shown.filter(({ is_dir: isDir }) => !isDir).map(({ path }) => path);
}
