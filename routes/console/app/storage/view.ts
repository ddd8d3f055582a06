import { type ComponentChild, h } from "preact";
import type { EntryShares, ExtensionShares, UserShares } from "../../../../schemas/shares.ts";
import type { Usage } from "../../../../schemas/usage.ts";
import { call } from "../shared/api.ts";
import { bytes, count, plural, share } from "../shared/format.ts";
import { linkTo } from "../shared/router.ts";
import { holds } from "../shared/session.ts";
import { AsTable } from "../ui/as_table.ts";
import { Bar } from "../ui/bar.ts";
import { Breadcrumbs } from "../ui/breadcrumbs.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { ShareTable } from "./share_table.ts";
import { entriesOf, totalOf, Treemap } from "./treemap.ts";

/** The room Storage: what takes the space. @param path The folder that is looked into. */
export function StorageView({ path }: { readonly path: string }): ComponentChild {
  return h(
    "div",
    { class: "page" },
    h("header", { class: "page-head" }, h("h1", null, "Storage")),
    h(FolderCard, { path }),
    h("div", { class: "page-columns storage-columns" }, h(FormatsCard, null), h(UsageCard, null)),
    holds("resources.admin") && h(UsersCard, null),
  );
}

/** What is in a folder, as areas. */
function FolderCard({ path }: { readonly path: string }): ComponentChild {
  const loading = useLoaded(
    (signal) => call<EntryShares>("GET", "/usage/entries", { query: { path }, signal }),
    [path],
  );
  return h(
    Card,
    {
      title: "What takes the space",
      actions: h(
        "div",
        { class: "part-actions" },
        h(Button, { label: "Measure again", onClick: loading.reload }),
        h("a", { class: "button", href: linkTo("files", path) }, "Open in Files"),
      ),
    },
    h(Breadcrumbs, { room: "storage", path }),
    h(Await<EntryShares>, {
      loading,
      what: "the sizes",
      children: (shares) => h(Folder, { shares }),
    }),
  );
}

function Folder({ shares }: { readonly shares: EntryShares }): ComponentChild {
  const { items, others } = shares;
  const total = totalOf(shares);
  if (items.length === 0) return h("p", { class: "muted" }, "This folder is empty.");
  return [
    h("p", { key: "total", class: "number" }, `${bytes(total)} in ${entriesOf(shares)}`),
    total > 0 && h(Treemap, { key: "picture", shares }),
    h(
      AsTable,
      { key: "table" },
      h(ShareTable<EntryShares["items"][number]>, {
        label: "Sizes of what is in this folder",
        title: "Name",
        items,
        others,
        keyOf: ({ name }) => name,
        nameOf: ({ name, path, is_dir: isDir }) =>
          h(
            "a",
            { class: "share-name", href: linkTo(isDir ? "storage" : "file", path) },
            h(Icon, { name: isDir ? "folder" : "file" }),
            h("bdi", null, name),
            isDir && h("span", { class: "visually-hidden" }, ", a folder"),
          ),
      }),
    ),
  ];
}

/** What files of each kind take, in the tree that is shown. */
function FormatsCard(): ComponentChild {
  const loading = useLoaded(
    (signal) => call<ExtensionShares>("GET", "/usage/extensions", { signal }),
    [],
  );
  return h(
    Card,
    { title: "By format" },
    h("p", { class: "muted" }, "Formats by the endings of names, in the whole tree."),
    h(Await<ExtensionShares>, {
      loading,
      what: "the formats",
      children: ({ items, others }) =>
        items.length === 0 ? h("p", null, "There are no files yet.") : h(
          ShareTable<ExtensionShares["items"][number]>,
          {
            label: "Sizes by format",
            title: "Ending",
            items,
            others,
            keyOf: ({ extension }) => extension,
            nameOf: ({ extension }) =>
              extension === ""
                ? h("span", { class: "muted" }, "None")
                : h("code", null, `.${extension}`),
          },
        ),
    }),
  );
}

/** What the tree holds, and of what it may. */
function UsageCard(): ComponentChild {
  const loading = useLoaded((signal) => call<Usage>("GET", "/usage/", { signal }), []);
  return h(
    Card,
    { title: "The whole tree" },
    h(Await<Usage>, {
      loading,
      what: "the usage",
      children: (usage) => h(Facts, { facts: usageFacts(usage) }),
    }),
  );
}

function usageFacts(usage: Usage): [string, ComponentChild][] {
  const { files, directories, bytes: size, stored_bytes: stored, uploading, quota } = usage;
  const { tagged_bytes: tagged, history_bytes: history } = usage;
  return [
    ["Files", `${count(files)} in ${plural(directories, "folder")}`],
    ["Size", bytes(size)],
    ["Stored", `${bytes(stored)}, each content once`],
    ["Uploads", uploading === 0 ? "None unfinished" : `${bytes(uploading)} unfinished`],
    ["Tags", tagged === 0 ? "None" : bytes(tagged)],
    ["History", history === 0 ? "None" : `${bytes(history)}, not counted by the quota`],
    ["Quota", quota === null ? "None" : h(Quota, { used: size + uploading + tagged, quota })],
  ];
}

function Quota(
  { used, quota }: { readonly used: number; readonly quota: number },
): ComponentChild {
  return [
    h("span", { key: "words" }, `${share(used, quota)} of ${bytes(quota)}`),
    h(Bar, { key: "bar", part: used / Math.max(1, quota) }),
  ];
}

/** What the tree of each user holds, for administrators. */
function UsersCard(): ComponentChild {
  const loading = useLoaded(
    (signal) => call<UserShares>("GET", "/users/usage", { inTree: false, signal }),
    [],
  );
  return h(
    Card,
    { title: "By user" },
    h(Await<UserShares>, {
      loading,
      what: "the users",
      children: ({ items, others }) =>
        items.length === 0 ? h("p", null, "Nobody has files yet.") : h(
          ShareTable<UserShares["items"][number]>,
          {
            label: "Sizes by user",
            title: "User",
            items,
            others,
            keyOf: ({ user_id: user }) => user,
            nameOf: ({ user_id: user, user_name: name }) =>
              h("a", { href: `#/storage?tree=${user}` }, h("bdi", null, name ?? `User ${user}`)),
          },
        ),
    }),
  );
}
