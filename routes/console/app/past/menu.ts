/** What leads to the past of a file or folder. What it asks is loaded when it is asked. */

import { goTo } from "../shared/router.ts";
import { keepsHistory, may, shownAt } from "../shared/session.ts";
import type { MenuItem } from "../ui/menu.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

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
    { label: "As of…", icon: "back", run: () => load(({ askForState }) => askForState(path)) },
    { label: "Tags", icon: "tag", run: () => goTo("tags") },
    keepsHistory() && { label: "Trash", icon: "trash", run: () => goTo("trash") },
  ];
  return items.filter((it) => it !== false);
}

/** Asks where to, and brings a file or folder back as it was. */
export function askToRestore(path: string, at: string): void {
  load((asking) => asking.askToRestore(path, at));
}

/** Asks for a name for a file or folder as it is, or was. */
export function askForTag(path: string, at?: string): void {
  load((asking) => asking.askForTag(path, at));
}

function load(then: (asking: typeof import("./asking.ts")) => void): void {
  import("../pages.ts").then(then, (error) => toast(messageOf(error), { isError: true }));
}
