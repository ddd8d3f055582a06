import { h } from "preact";
import { later } from "./ui/later.ts";
import type { Room } from "./ui/room.ts";

const HistoryView = later(
  "history",
  async () => (await import("./pages.ts")).HistoryView,
);
const CompareView = later(
  "the differences",
  async () => (await import("./pages.ts")).CompareStatesView,
);
const TrashView = later("the trash", async () => (await import("./pages.ts")).TrashView);
const TagsView = later("tags", async () => (await import("./pages.ts")).TagsView);

/** What all of them are. */
const OF_FILES = { within: "files", privilege: "resources.view" };

/** `#/history/models`, `#/compare/models?from=3&to=7`, `#/trash`, `#/tags`: within the room Files. */
export const HISTORY_ROOMS: readonly Room[] = [
  {
    ...OF_FILES,
    id: "history",
    title: "History",
    icon: "wait",
    view: ({ path }) => h(HistoryView, { key: path, path }),
  },
  {
    ...OF_FILES,
    id: "compare",
    title: "Compare",
    icon: "wait",
    view: ({ path }) => h(CompareView, { path }),
  },
  { ...OF_FILES, id: "trash", title: "Trash", icon: "trash", view: () => h(TrashView, {}) },
  { ...OF_FILES, id: "tags", title: "Tags", icon: "tag", view: () => h(TagsView, {}) },
];
