import { type ComponentChild, h } from "preact";
import type { DiffEntry } from "../../../../schemas/history.ts";

/** The parts of a change that its words are about. */
type Change = Pick<DiffEntry, "action" | "path" | "former_path">;

const WORDS: Readonly<Record<Change["action"], string>> = {
  added: "Added",
  replaced: "Replaced",
  moved: "Moved",
  deleted: "Deleted",
};

/** What has happened, in a word. */
export function wordOf({ action }: Pick<Change, "action">): string {
  return WORDS[action];
}

/** Where it has happened: below the folder of the page, only the rest of the path. */
export function ChangedPath(
  { change: { path, former_path: former }, below }: {
    readonly change: Change;
    readonly below: string;
  },
): ComponentChild {
  const rest = (of: string) =>
    below !== "" && of.startsWith(`${below}/`) ? of.slice(below.length + 1) : of;
  return [
    former !== null && h("span", { key: "from" }, h("bdi", null, rest(former)), " → "),
    h("bdi", { key: "path" }, rest(path)),
  ];
}
