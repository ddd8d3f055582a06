import { h } from "preact";
import type { Room } from "../ui/room.ts";
import { FileView } from "./view.ts";

/** A file of the room Files, on a page of its own. */
export const fileRoom: Room = {
  id: "file",
  within: "files",
  title: "File",
  icon: "file",
  privilege: "resources.view",
  view: ({ path }) => h(FileView, { key: path, path }),
};
