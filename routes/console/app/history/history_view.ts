import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import type { HistoryEntry, HistoryList } from "../../../../schemas/history.ts";
import { downloadPast } from "../files/download.ts";
import { call } from "../shared/api.ts";
import { bytes } from "../shared/format.ts";
import { isOfResource, type LiveEvent } from "../shared/live.ts";
import { isWithin, nameOf } from "../shared/paths.ts";
import { linkWith } from "../shared/router.ts";
import { may, userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { below, type MenuItem, openMenu } from "../ui/menu.ts";
import { type LoadPage, PagedList, usePaged } from "../ui/paged.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { ChangedPath, wordOf } from "./change.ts";
import { Head } from "./head.ts";
import { askForTag, askToRestore } from "../past/asking.ts";

const PAGE = "100";

/** What has happened to a file or below a folder: who, when, what. Any two versions can be compared. */
export function HistoryView({ path }: { readonly path: string }): ComponentChild {
  const paged = usePaged(pagesOf(path), (event) => concerns(event, path));
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const toggle = (version: number) =>
    setChosen(
      chosen.includes(version)
        ? chosen.filter((it) => it !== version)
        : [...chosen.slice(-1), version],
    );
  return h(
    "div",
    { class: "page" },
    h(
      Head,
      {
        title: path === "" ? "History" : ["History of ", h("bdi", { key: "name" }, nameOf(path))],
        back: path,
      },
      h(Compare, { path, chosen }),
      may("resources.edit") &&
        h(Button, { label: "New tag…", icon: "tag", onClick: () => askForTag(path) }),
    ),
    h(PagedList<HistoryEntry>, {
      paged,
      what: "changes",
      empty: "Nothing has changed here since history is kept.",
      children: (items) =>
        h(Rows<HistoryEntry>, {
          label: "Changes",
          rows: items,
          keyOf: ({ version, path }) => `${version} ${path}`,
          columns: columnsOf({ path, chosen, toggle, items }),
        }),
    }),
  );
}

function pagesOf(path: string): LoadPage<HistoryEntry> {
  return async (after, signal) => {
    const query = { path, limit: PAGE, after };
    const { items, next } = await call<HistoryList>("GET", "/resources/history", { query, signal });
    return { items, next: next ?? undefined };
  };
}

function concerns(event: LiveEvent, path: string): boolean {
  return isOfResource(event) && isWithin(event.data.path, path);
}

/** What leads to the differences between two versions, or between one and now. */
function Compare(
  { path, chosen }: { readonly path: string; readonly chosen: readonly number[] },
): ComponentChild {
  const [from, to] = chosen.toSorted((a, b) => a - b);
  if (from === undefined) {
    return h("span", { class: "muted" }, "Select one or two versions to compare");
  }
  const query = { from: String(from), ...(to !== undefined && { to: String(to) }) };
  return h(
    "a",
    { class: "button button-primary", href: linkWith("compare", path, query) },
    to === undefined ? `Compare version ${from} with now` : `Compare versions ${from} and ${to}`,
  );
}

function columnsOf(
  { path, chosen, toggle, items }: {
    readonly path: string;
    readonly chosen: readonly number[];
    readonly toggle: (version: number) => void;
    readonly items: readonly HistoryEntry[];
  },
): RowsColumn<HistoryEntry>[] {
  // A version may have many changes. It is chosen at the first of them.
  const first = new Map(items.toReversed().map((it) => [it.version, it]));
  return [
    {
      title: "Version",
      cell: (change) => {
        const { version } = change;
        if (first.get(version) !== change) return h("span", { class: "muted" }, version);
        return h(
          "label",
          { class: "check" },
          h("input", {
            type: "checkbox",
            "aria-label": `Compare version ${version}`,
            checked: chosen.includes(version),
            onChange: () => toggle(version),
          }),
          version,
        );
      },
    },
    {
      title: "When",
      cell: ({ time: at }) => h(Ago, { at }),
    },
    { title: "Who", cell: ({ user_id: user }) => h("bdi", null, userLabel(user)) },
    {
      title: "What",
      cell: (change) =>
        h(
          "div",
          null,
          h("strong", null, wordOf(change)),
          " ",
          change.path !== path || change.former_path !== null
            ? h(ChangedPath, { change, below: path })
            : change.is_dir && "this folder",
          change.message !== null && h("div", { class: "muted" }, h("bdi", null, change.message)),
        ),
    },
    {
      title: "Size",
      kind: "number",
      cell: ({ is_dir: isDir, size }) => isDir ? "Folder" : bytes(size),
    },
    {
      title: "Verdict",
      cell: ({ verdict }) =>
        verdict && h("div", null, h(VerdictBadge, { verdict: verdict.verdict })),
    },
    { title: "Actions", cell: (change) => h(ChangeMenu, { change }) },
  ];
}

/** What can be done with the state that a change has made, or that a deletion has ended. */
function ChangeMenu({ change }: { readonly change: HistoryEntry }): ComponentChild {
  const { version, path, action } = change;
  const label = `Actions for version ${version} of ${nameOf(path)}`;
  const isGone = action === "deleted";
  return h(Button, {
    label,
    icon: "dots",
    iconOnly: true,
    kind: "quiet",
    hasMenu: true,
    onClick: ({ currentTarget }) => {
      if (!(currentTarget instanceof Element)) return;
      const items = itemsOf(change, String(isGone ? version - 1 : version));
      openMenu({ label, items, at: below(currentTarget) });
    },
  });
}

function itemsOf({ path, is_dir: isDir, verdict }: HistoryEntry, at: string): MenuItem[] {
  const mayDownload = may("resources.download") && !isDir && !verdict?.blocked;
  const items: (MenuItem | false)[] = [
    {
      label: "Look at it",
      icon: isDir ? "folder" : "file",
      run: () => void (location.hash = linkWith(isDir ? "files" : "file", path, { at })),
    },
    mayDownload && {
      label: "Download",
      icon: "download",
      run: () => void downloadPast({ path, at, verdict: verdict?.verdict }),
    },
    may("resources.edit") &&
    { label: "Restore…", icon: "back", run: () => askToRestore(path, at) },
    may("resources.edit") && { label: "New tag…", icon: "tag", run: () => askForTag(path, at) },
  ];
  return items.filter((it) => it !== false);
}
