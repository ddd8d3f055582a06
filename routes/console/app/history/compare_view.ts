import { type ComponentChild, h } from "preact";
import type { DiffEntry } from "../../../../schemas/history.ts";
import { list } from "../shared/api.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { isWithin, nameOf } from "../shared/paths.ts";
import { linkWith, place } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Icon } from "../ui/icon.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Rows } from "../ui/rows.ts";
import { ChangedPath, wordOf } from "./change.ts";
import { Head } from "./head.ts";
import { nameOfState } from "../past/words.ts";

/** More differences are not shown. */
const MAX_SHOWN = 10_000;

/** What is different at a path between two states of the tree, or between one and now. */
export function CompareView({ path }: { readonly path: string }): ComponentChild {
  const { from = "0", to } = useStore(place).query;
  const loading = useLoaded(
    (signal) => differences(path, { from, to }, signal),
    [path, from, to],
    (event) => to === undefined && isOfResource(event) && isWithin(event.data.path, path),
  );
  return h(
    "div",
    { class: "page" },
    h(
      Head,
      {
        title: [
          path === "" ? "" : h("bdi", { key: "name" }, `${nameOf(path)}: `),
          `${nameOfState(from)} and ${to === undefined ? "now" : nameOfState(to)} compared`,
        ],
        back: path,
      },
      h(
        "a",
        { class: "button", href: linkWith("history", path, {}), title: "History" },
        h(Icon, { name: "wait" }),
        h("span", null, "History"),
      ),
      path !== "" && may("resources.download") && h(
        "a",
        {
          class: "button",
          href: linkWith("differences", path, {
            from_at: from,
            ...(to !== undefined && { at: to }),
          }),
          title: "Compare contents",
        },
        h(Icon, { name: "file" }),
        h("span", null, "Compare contents"),
      ),
    ),
    h(Await<readonly DiffEntry[]>, {
      loading,
      what: "the differences",
      children: (found) => h(Differences, { path, found, from, to }),
    }),
  );
}

async function differences(
  path: string,
  { from, to }: { readonly from: string; readonly to: string | undefined },
  signal: AbortSignal,
): Promise<readonly DiffEntry[]> {
  const found: DiffEntry[] = [];
  const query = { path, from, to };
  for await (const items of list<DiffEntry>("/resources/diff", { query, signal })) {
    for (const item of items) found.push(item);
    if (found.length > MAX_SHOWN) break;
  }
  return found;
}

function Differences(
  { path, found, from, to }: {
    readonly path: string;
    readonly found: readonly DiffEntry[];
    readonly from: string;
    readonly to: string | undefined;
  },
): ComponentChild {
  if (found.length === 0) return h("p", { role: "status" }, "Nothing is different.");
  const shown = found.slice(0, MAX_SHOWN);
  const counts = Map.groupBy(shown, wordOf).entries()
    .map(([word, { length }]) => `${count(length)} ${word.toLowerCase()}`).toArray();
  const linkTo = (of: string, isDir: boolean, at: string | undefined) =>
    linkWith(isDir ? "files" : "file", of, at === undefined ? {} : { at });
  return [
    h(
      "p",
      { key: "sum", role: "status" },
      found.length > MAX_SHOWN ? `The first ${plural(MAX_SHOWN, "difference")}: ` : "",
      `${counts.join(", ")}.`,
    ),
    h(Rows<DiffEntry>, {
      key: "rows",
      label: "Differences",
      rows: shown,
      keyOf: (it) => `${it.action} ${it.path}`,
      columns: [
        { title: "What", cell: (change) => h("strong", null, wordOf(change)) },
        {
          title: "Path",
          cell: (change) => h("div", null, h(ChangedPath, { change, below: path })),
        },
        {
          title: "Size",
          kind: "number",
          cell: ({ is_dir: isDir, size }) => isDir ? "Folder" : bytes(size),
        },
        {
          title: "Look at it",
          cell: ({ action, path: of, former_path: former, is_dir: isDir }) =>
            h(
              "div",
              { class: "row-actions" },
              action !== "added" &&
                h("a", { href: linkTo(former ?? of, isDir, from) }, "Before"),
              action !== "deleted" && h("a", { href: linkTo(of, isDir, to) }, "After"),
            ),
        },
      ],
    }),
  ];
}
