import { type ComponentChild, h } from "preact";
import type { TagEntry } from "../../../../schemas/tags.ts";
import { call } from "../shared/api.ts";
import { bytes, plural } from "../shared/format.ts";
import { linkWith } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { PagedList, pagesOf, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { toast } from "../ui/toasts.ts";
import { Made } from "./made.ts";
import { Head } from "./head.ts";

/** The names of what was, each with the way there. */
export function TagsView(): ComponentChild {
  const tags = usePaged(pagesOf<TagEntry>("/tags/", ({ id }) => String(id), { inTree: true }));
  useRefresh(tags);
  return h(
    "div",
    { class: "page" },
    h(Head, { title: "Tags", back: "" }),
    h(
      "p",
      { class: "muted" },
      "A tag names a file or folder as it was, and keeps it. The menu of a file or folder makes one.",
    ),
    h(PagedList<TagEntry>, {
      paged: tags,
      what: "tags",
      empty: "There are no tags.",
      children: (items) =>
        h(Rows<TagEntry>, {
          label: "Tags",
          rows: items,
          keyOf: ({ id }) => id,
          columns: columnsOf(tags.reload),
        }),
    }),
  );
}

function columnsOf(reload: () => void): RowsColumn<TagEntry>[] {
  return [
    {
      title: "Tag",
      cell: ({ name, path, message }) =>
        h(
          "div",
          null,
          h(
            "a",
            { href: linkWith(path === "" ? "files" : "file", path, { at: name }) },
            h("bdi", null, name),
          ),
          message !== null && h("div", { class: "muted" }, h("bdi", null, message)),
        ),
    },
    {
      title: "Of",
      cell: ({ path }) => path === "" ? "Top folder" : h("bdi", null, path),
    },
    {
      title: "Made",
      cell: ({ created_at: at, created_by: user }) => h(Made, { at, user }),
    },
    {
      title: "Size",
      kind: "number",
      cell: ({ files, size }) => `${bytes(size)} in ${plural(files, "file")}`,
    },
    {
      title: "Actions",
      cell: ({ name }) =>
        may("resources.delete") &&
        h(Button, { label: "Remove", describes: name, onClick: () => askToRemove(name, reload) }),
    },
  ];
}

function askToRemove(name: string, then: () => void): void {
  ask({
    title: `Remove the tag “${name}”?`,
    action: "Remove",
    kind: "danger",
    body: () => h("p", null, "What nothing else keeps is gone then. This cannot be undone."),
    run: async () => {
      await call("DELETE", "/tags/", { query: { name } });
      toast(`Removed the tag “${name}”`);
      then();
    },
  });
}
