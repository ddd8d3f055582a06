import { type ComponentChild, h } from "preact";
import type { ConsoleSession } from "../../../../schemas/console.ts";
import type { Usage } from "../../../../schemas/usage.ts";
import { call } from "../shared/api.ts";
import { ago, bytes, count, plural, time } from "../shared/format.ts";
import { currentTree, knownTrees, may, session, shownTree } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Button } from "../ui/button.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { LinksCard } from "./links.ts";
import { WaiversCard } from "./waivers.ts";

/** What each privilege permits, in the words of the console. */
const PRIVILEGES: readonly (readonly [privilege: string, permits: string])[] = [
  ["resources.view", "See files, folders and verdicts"],
  ["resources.upload", "Upload files"],
  ["resources.edit", "Make folders, rename, move, copy and replace"],
  ["resources.delete", "Delete"],
  ["resources.download", "Download, and share by links"],
  ["scans.view", "See scans and reports"],
  ["scans.run", "Scan, cancel scans and remove them"],
  ["capacity.view", "See the capacity of the host"],
  ["metrics.view", "Read the metrics"],
  ["resources.admin", "All of this in every tree, and waivers"],
];

/** The room Access: what the person who is signed in may do, and who else has access. */
export function AccessView(): ComponentChild {
  const state = useStore(session);
  if (state.kind !== "signedIn") return null;
  return h(
    "div",
    { class: "page" },
    h("header", { class: "page-head" }, h("h1", null, "Access")),
    h(
      "div",
      { class: "page-columns" },
      h(Credential, { session: state.session }),
      h(UsageCard, null),
    ),
    h(Privileges, null),
    h(Trees, { session: state.session }),
    may("resources.download") && h(LinksCard, null),
    may("resources.admin") && h(WaiversCard, null),
    h(OnTheServer, null),
  );
}

interface SessionProps {
  readonly session: ConsoleSession;
}

function Credential({ session: { user_id: user, expires_at: end } }: SessionProps): ComponentChild {
  return h(
    Card,
    { title: "Your credential" },
    h(Facts, {
      facts: [
        ["User", String(user)],
        ["Expires", [h("time", { key: "end", dateTime: end }, time(end)), ` (${ago(end)})`]],
        ["Shown tree", `User ${currentTree() ?? user}`],
      ],
    }),
  );
}

function UsageCard(): ComponentChild {
  const usage = useLoaded((signal) => call<Usage>("GET", "/usage/", { signal }), []);
  return h(
    Card,
    { title: "The shown tree" },
    h(Await<Usage>, {
      loading: usage,
      what: "the usage",
      children: (it) =>
        h(Facts, {
          facts: [
            ["Files", `${count(it.files)} in ${plural(it.directories, "folder")}`],
            ["Size", bytes(it.bytes)],
            ["Stored", `${bytes(it.stored_bytes)}, equal content once`],
            ["Quota", it.quota === null ? "None" : bytes(it.quota)],
          ],
        }),
    }),
  );
}

function Privileges(): ComponentChild {
  return h(
    Card,
    { title: "What you may do in the shown tree" },
    h(
      "div",
      { class: "privileges" },
      h(Rows<typeof PRIVILEGES[number]>, {
        label: "Privileges",
        rows: PRIVILEGES,
        columns: [
          { title: "Action", cell: ([, permits]) => permits },
          { title: "Privilege", kind: "code", cell: ([privilege]) => privilege },
          {
            title: "Permitted",
            cell: ([privilege]) => may(privilege) ? h("strong", null, "Yes") : "No",
          },
        ],
      }),
    ),
  );
}

/** The trees that the credential names, with the privileges in each (C 19). */
function Trees({ session: it }: SessionProps): ComponentChild {
  const shared = knownTrees(it).filter((tree) => tree !== it.user_id);
  return h(
    Card,
    { title: "Shared trees" },
    shared.length === 0
      ? h("p", { class: "muted" }, "Your credential names no tree but your own.")
      : h(Rows<number>, {
        label: "Shared trees",
        rows: shared,
        keyOf: (tree) => tree,
        columns: [
          { title: "Tree", cell: (tree) => `User ${tree}` },
          {
            title: "Privileges",
            kind: "code",
            cell: (tree) => (it.trees[String(tree)] ?? []).join(", "),
          },
          {
            title: "Show",
            cell: (tree) =>
              currentTree() === tree
                ? "Shown"
                : h(Button, { label: `Show tree ${tree}`, onClick: () => shownTree.set(tree) }),
          },
        ],
      }),
  );
}

/** What the API has no routes for. */
function OnTheServer(): ComponentChild {
  return h(
    Card,
    { title: "Credentials and the audit log" },
    h("p", null, "The server alone makes credentials and keeps the audit log. There, run:"),
    h(Facts, {
      facts: [
        ["Make one", h("code", null, "strongroom token --user 3 --tree 7=view,download")],
        ["List", h("code", null, "strongroom token list")],
        ["Revoke", h("code", null, "strongroom token revoke JTI")],
        ["Audit log", [
          "The file ",
          h("code", { key: "file" }, "audit.log"),
          " of the data directory",
        ]],
      ],
    }),
  );
}
