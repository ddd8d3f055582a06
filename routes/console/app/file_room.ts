import { h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";

const FileView = later("the file", async () => (await import("./pages.ts")).FileView);

/** A file of the room Files, on a page of its own. */
export const fileRoom: Room = {
  id: "file",
  within: "files",
  title: "File",
  icon: "file",
  privilege: "resources.view",
  view: ({ path }) => h(FileView, { key: path, path }),
};
