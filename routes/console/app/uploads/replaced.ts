import { restoreBefore, undoing } from "../past/undo.ts";
import { plural } from "../shared/format.ts";
import { onLive } from "../shared/live.ts";
import { nameOf } from "../shared/paths.ts";
import { currentTree, keepsHistory, may } from "../shared/session.ts";
import { toast } from "../ui/toasts.ts";
import { transfers, uploads } from "./transfers.ts";

/** The versions that have replaced files in the tree that is shown, as far as a message tells of them. */
const versions = new Map<string, number | undefined>();
/** The states of uploads that need not be waited for. */
const ENDED: ReadonlySet<string> = new Set(["done", "failed", "exists"]);
/** The uploads that a message tells of. */
const told = new Set<number>();

/** Says what uploads have replaced, once all of them have ended, and takes it back. Call it once. */
export function followReplaced(): void {
  onLive((event) => {
    if (event.type !== "resource.updated") return;
    const { path, version } = event.data;
    if (isReplaced(path)) versions.set(path, version);
  });
  uploads.subscribe(() => {
    if (!keepsHistory() || !may("resources.edit")) return;
    const own = [...transfers.values()].filter(({ item: { key, tree }, onConflict }) =>
      onConflict === "replace" && tree === currentTree() && !told.has(key)
    );
    const done = own.filter(({ item }) => item.state === "done");
    const hasEnded = own.every(({ item }) => ENDED.has(item.state));
    if (done.length === 0 || !hasEnded) return;
    for (const { item } of done) told.add(item.key);
    const paths = done.map(({ item }) => item.path);
    toast(
      `Replaced ${
        paths.length === 1 ? `“${nameOf(paths[0] ?? "")}”` : plural(paths.length, "file")
      }`,
      { undo: undoing(paths, () => bringBack(paths)) },
    );
  });
}

function isReplaced(path: string): boolean {
  return transfers.values().some(({ item, onConflict }) =>
    onConflict === "replace" && item.path === path
  );
}

async function bringBack(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const version = versions.get(path);
    if (version === undefined) throw new Error(`look for “${nameOf(path)}” in its history`);
    await restoreBefore(version, path, true);
  }
}
