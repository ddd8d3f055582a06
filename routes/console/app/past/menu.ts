/** What leads to the past of a file or folder. */

import { goTo } from "../shared/router.ts";
import { keepsHistory, may, shownAt } from "../shared/session.ts";
import type { MenuItem } from "../ui/menu.ts";
import { askForState, askForTag } from "./asking.ts";

/** What can be done with the past of a file or folder, and with names for it. "" is the top folder. */
export function pastActions(path: string): MenuItem[] {
  const items: (MenuItem | false)[] = [
    keepsHistory() && shownAt.value === undefined && {
      label: "History",
      icon: "wait",
      run: () => goTo("history", path),
    },
    may("resources.edit") && {
      label: "New tag…",
      icon: "tag",
      run: () => askForTag(path),
    },
  ];
  return items.filter((it) => it !== false);
}

/** What leads from a folder to its past, and to what is kept of the tree. */
export function folderActions(path: string): MenuItem[] {
  const items: (MenuItem | false)[] = [
    ...pastActions(path),
    { label: "As of…", icon: "back", run: () => askForState(path) },
    { label: "Tags", icon: "tag", run: () => goTo("tags") },
    keepsHistory() && { label: "Trash", icon: "trash", run: () => goTo("trash") },
  ];
  return items.filter((it) => it !== false);
}
