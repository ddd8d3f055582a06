import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { call } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { onLive } from "../shared/live.ts";
import { currentTree } from "../shared/session.ts";
import { toast } from "../ui/toasts.ts";
import { haveUploads, moveUploads } from "./queue.ts";

/** Where the folders are to which files are on their way, by their ids. */
const folders = new Map<number, string>();

/** Has the uploads to a folder follow it when it is moved. */
export async function followFolder(path: string): Promise<void> {
  if (path === "") return;
  try {
    const { id, is_dir: isDirectory }: ResourceEntry = await call("GET", "/resources/stat", {
      query: { path },
    });
    if (isDirectory) folders.set(id, path);
  } catch {
    // The first file makes the folder, or says why it cannot.
  }
}

/** Follows the folders to which files are on their way. Call it once. */
export function followTargets(): void {
  onLive((event) => {
    if (event.type !== "resource.added" && event.type !== "resource.updated") return;
    const { id, path, is_dir: isDirectory } = event.data;
    const tree = currentTree();
    if (!isDirectory || tree === undefined) return;
    const before = folders.get(id);
    if (before !== undefined && before !== path) {
      const count = moveUploads(tree, before, path);
      if (count > 0) {
        toast(
          `“${before}” was moved to “${path}”: ${plural(count, "upload goes", "uploads go")} there`,
        );
      }
    }
    // The uploads themselves may have made it.
    if (haveUploads(tree, path)) folders.set(id, path);
    else folders.delete(id);
  });
}
