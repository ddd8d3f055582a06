import { h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";

const StorageView = later("the storage", async () => (await import("./pages.ts")).StorageView);

/** `#/storage`, or `#/storage/models` with what is in a folder. */
export const storageRoom: Room = {
  id: "storage",
  title: "Storage",
  icon: "storage",
  privilege: "resources.view",
  view: ({ path }) => h(StorageView, { path }),
};
