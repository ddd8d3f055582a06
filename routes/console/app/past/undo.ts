import { call } from "../shared/api.ts";
import { nameOf } from "../shared/paths.ts";
import { currentTree } from "../shared/session.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** What takes something back at some paths of the tree that is shown, and says what has become of it. */
export function undoing(
  paths: readonly string[],
  work: () => Promise<void>,
): (() => void) | undefined {
  if (paths.length === 0) return undefined;
  const tree = currentTree();
  const run = async () => {
    if (tree !== currentTree()) throw new Error("another tree is shown now");
    await work();
  };
  return () =>
    void run().then(
      () => toast(paths.length === 1 ? `Undone: “${nameOf(paths[0] ?? "")}”` : "Undone"),
      (error) => toast(`Not undone: ${messageOf(error)}`, { isError: true }),
    );
}

/** Brings back what was at a path before a version of the tree. @param force Whether it replaces what is there. */
export async function restoreBefore(version: number, path: string, force = false): Promise<void> {
  await call("POST", "/resources/restore", { json: { path, at: version - 1, force } });
}
