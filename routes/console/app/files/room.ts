import { h } from "preact";
import type { Room } from "../ui/room.ts";
import { FilesView } from "./view.ts";

export const filesRoom: Room = {
  id: "files",
  title: "Files",
  icon: "folder",
  privilege: "resources.view",
  // A folder begins with nothing selected and nothing searched for.
  view: ({ path }) => h(FilesView, { path }),
};
