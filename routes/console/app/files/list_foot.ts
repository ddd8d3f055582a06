import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { bytes, plural } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { keepsHistory, may, shownAt } from "../shared/session.ts";
import type { Listing } from "./directory.ts";
import { isNearlyFull, type Quota, QuotaWords } from "./quota.ts";

/** What stands below a list: how much is in it, whether it can be changed, and why the active file has its verdict. */
export function ListFoot(
  { path, listing: { entries, verdicts }, active, quota }: {
    /** The folder. */
    readonly path: string;
    readonly listing: Listing;
    /** The id of the active row. */
    readonly active: number | undefined;
    readonly quota: Quota | undefined;
  },
): ComponentChild {
  const isEmpty = entries.length === 0;
  if (isEmpty && (quota === undefined || !isNearlyFull(quota))) return null;
  const entry = entries.find(({ id }) => id === active);
  const reason = entry && verdicts.get(entry.id)?.detail;
  return h(
    "div",
    { class: "list-foot" },
    !isEmpty && h("span", { class: "number" }, contentOf(entries)),
    quota !== undefined && shownAt.value === undefined && h(QuotaWords, { quota }),
    shownAt.value === undefined && [
      h("a", { key: "space", href: linkTo("storage", path) }, "What takes the space"),
      keepsHistory() && h("a", { key: "history", href: linkTo("history", path) }, "History"),
      keepsHistory() && h("a", { key: "trash", href: linkTo("trash") }, "Trash"),
    ],
    !may("resources.edit") && !may("resources.upload") && h("span", null, "Read-only"),
    reason !== undefined &&
      h("span", null, h("bdi", null, entry?.name), `: ${reason}`),
  );
}

/** `12 folders, 340 files, 1.4 GiB`. The size is that of the files right here. */
function contentOf(entries: readonly ResourceEntry[]): string {
  const files = entries.filter(({ is_dir: isDir }) => !isDir);
  const folders = entries.length - files.length;
  return [
    folders > 0 && plural(folders, "folder"),
    files.length > 0 && plural(files.length, "file"),
    files.length > 0 && bytes(files.reduce((sum, { size }) => sum + size, 0)),
  ].filter((it) => it !== false).join(", ");
}
