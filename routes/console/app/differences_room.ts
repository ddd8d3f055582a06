import { h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";

const DifferencesView = later(
  "the differences",
  async () => (await import("./pages.ts")).DifferencesView,
);

/** `#/differences/models/b?from=models/a&from_at=v1.0`: what is in two files or folders, side by side. */
export const differencesRoom: Room = {
  id: "differences",
  within: "files",
  title: "Compare",
  icon: "file",
  privilege: "resources.download",
  view: ({ path }) => h(DifferencesView, { path }),
};
