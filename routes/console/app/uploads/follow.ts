import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { call } from "../shared/api.ts";
import { plural } from "../shared/format.ts";
import { onLive } from "../shared/live.ts";
import { isWithin } from "../shared/paths.ts";
import { currentTree } from "../shared/session.ts";
import { toast } from "../ui/toasts.ts";
import { giveUp, startNext } from "./queue.ts";
import type { UploadItem } from "./transfer.ts";
import { show, transfers } from "./transfers.ts";

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

/**
 * Sends the files that go below a folder to where that is now: those on their way from their start, as the server
 * would make the former folder again for them. Returns how many they are.
 */
function moveUploads(tree: number, from: string, to: string): number {
  let count = 0;
  for (const [key, transfer] of transfers) {
    const { item, id, ...rest } = transfer;
    if (!goesBelow(item, tree, from)) continue;
    count++;
    const moved = { ...item, path: to + item.path.slice(from.length) };
    const isMoving = item.state === "sending" || item.state === "waiting";
    if (!isMoving && id === undefined) {
      transfer.item = moved;
      continue;
    }
    giveUp(transfer);
    transfers.set(key, {
      ...rest,
      item: { ...moved, sent: 0, ...(isMoving && { state: "queued" }) },
      abort: new AbortController(),
    });
  }
  startNext();
  show();
  return count;
}

/** Whether files that are not stored yet go below a folder. */
function haveUploads(tree: number, folder: string): boolean {
  return transfers.values().some(({ item }) => goesBelow(item, tree, folder));
}

function goesBelow({ tree, path, state }: UploadItem, of: number, folder: string): boolean {
  return tree === of && isWithin(path, folder) && state !== "done" && state !== "unfinished";
}
