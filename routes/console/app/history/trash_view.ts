import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { EmptiedTrash, TrashEntry, TrashList } from "../../../../schemas/history.ts";
import { call } from "../shared/api.ts";
import { bytes, plural } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { nameOf, parentOf } from "../shared/paths.ts";
import { linkWith } from "../shared/router.ts";
import { historyMs, may } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { Icon } from "../ui/icon.ts";
import { type LoadPage, PagedList, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { Notice } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { Made } from "./made.ts";
import { Head } from "./head.ts";
import { askToRestore } from "../past/asking.ts";

const loadPage: LoadPage<TrashEntry> = async (after, signal) => {
  const query = { limit: "1000", after };
  const { items, next } = await call<TrashList>("GET", "/resources/trash", { query, signal });
  return { items, next: next ?? undefined };
};

/** What was deleted and can be brought back. */
export function TrashView(): ComponentChild {
  const paged = usePaged(loadPage, isOfResource);
  // What is given up has no event.
  useRefresh(paged);
  const [words, setWords] = useState("");
  const sought = words.trim().toLowerCase();
  const { more } = paged;
  // What is sought may be older than what is shown.
  useEffect(() => {
    if (sought !== "") more?.();
  }, [sought, more === undefined, paged.state]);
  const pages = paged.state.kind === "loaded" ? paged.state.data : [];
  // Pages may have nothing, and others after them something.
  const isEmpty = paged.state.kind === "loaded" && more === undefined &&
    pages.every(({ items }) => items.length === 0);
  return h(
    "div",
    { class: "page" },
    h(
      Head,
      { title: "Trash", back: "" },
      !isEmpty && h("input", {
        type: "search",
        "aria-label": "Search in the trash",
        placeholder: "Search",
        value: words,
        autocomplete: "off",
        spellcheck: false,
        onInput: (event: TargetedEvent<HTMLInputElement>) => setWords(event.currentTarget.value),
      }),
      !isEmpty && may("resources.delete") &&
        h(Button, { label: "Empty the trash", icon: "trash", onClick: () => askToGiveUp() }),
    ),
    isEmpty
      ? h(
        Notice,
        { icon: "trash", title: "The trash is empty" },
        h("p", null, "What is deleted can be brought back from here for a while."),
      )
      : h(PagedList<TrashEntry>, {
        paged,
        what: "deletions",
        empty: "",
        children: (items) => {
          const shown = items.filter(({ path }) => path.toLowerCase().includes(sought));
          return shown.length === 0
            ? h("p", { class: "muted", role: "status" }, "Nothing matches.")
            : h(Rows<TrashEntry>, {
              label: "Deleted files and folders",
              rows: shown,
              keyOf: ({ version, path }) => `${version} ${path}`,
              columns: columns(),
            });
        },
      }),
  );
}

function columns(): RowsColumn<TrashEntry>[] {
  return [
    {
      title: "Name",
      cell: ({ path, version, is_dir: isDir }) =>
        h(
          "div",
          null,
          h(
            "a",
            {
              class: "named",
              href: linkWith(isDir ? "files" : "file", path, { at: String(version - 1) }),
            },
            h(Icon, { name: isDir ? "folder" : "file" }),
            h("bdi", null, nameOf(path)),
          ),
          parentOf(path) !== "" &&
            h("div", { class: "muted" }, "from ", h("bdi", null, parentOf(path))),
        ),
    },
    {
      title: "Deleted",
      cell: ({ time: at, user_id: user }) =>
        h(
          "div",
          null,
          h(Made, { at, user }),
          h("div", { class: "muted" }, timeLeft(Date.parse(at) + historyMs() - Date.now())),
        ),
    },
    {
      title: "Size",
      kind: "number",
      cell: ({ is_dir: isDir, files, size }) =>
        isDir ? `${bytes(size)} in ${plural(files, "file")}` : bytes(size),
    },
    {
      title: "Actions",
      cell: (entry) =>
        h(
          "div",
          { class: "row-actions" },
          may("resources.edit") && h(Button, {
            label: "Restore",
            describes: nameOf(entry.path),
            onClick: () => askToRestore(entry.path, String(entry.version - 1)),
          }),
          may("resources.delete") && h(Button, {
            label: "Delete for good",
            describes: nameOf(entry.path),
            kind: "quiet",
            onClick: () => askToGiveUp(entry.path),
          }),
        ),
    },
  ];
}

/** How long something is kept at most, before it is given up. */
function timeLeft(ms: number): string {
  const hours = Math.max(0, Math.round(ms / 3_600_000));
  return hours < 48
    ? `${plural(hours, "hour")} left`
    : `${plural(Math.round(hours / 24), "day")} left`;
}

/** Asks, and gives up what was deleted at a path, or all that was. */
function askToGiveUp(path?: string): void {
  ask({
    title: path === undefined ? "Empty the trash?" : `Delete “${nameOf(path)}” for good?`,
    action: path === undefined ? "Empty" : "Delete for good",
    kind: "danger",
    body: () =>
      h("p", null, "No earlier version has it any more, unless a tag does. This cannot be undone."),
    run: async () => {
      const { total } = await call<EmptiedTrash>("DELETE", "/resources/trash", { query: { path } });
      toast(
        path === undefined ? `Gave up ${plural(total, "deletion")}` : `Gave up “${nameOf(path)}”`,
      );
    },
  });
}
