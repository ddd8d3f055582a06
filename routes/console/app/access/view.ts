import { type ComponentChild, h } from "preact";
import type { ConsoleSession } from "../../../../schemas/console.ts";
import type { Usage } from "../../../../schemas/usage.ts";
import { call } from "../shared/api.ts";
import { bytes, count, plural, time } from "../shared/format.ts";
import { isOfResource } from "../shared/live.ts";
import { goToTree } from "../shared/router.ts";
import { currentTree, holds, knownTrees, may, session } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { AuditCard } from "./audit.ts";
import { HiddenCard } from "./hidden_card.ts";
import { LinksCard } from "./links.ts";
import { PasskeysCard } from "./passkeys.ts";
import { PeopleCard } from "./people.ts";
import { PRIVILEGES } from "./privileges.ts";
import { SessionsCard } from "./sessions.ts";
import { TeamsCard } from "./teams.ts";
import { TokensCard } from "./tokens.ts";
import { WaiversCard } from "./waivers.ts";

/** What concerns all trees. Privileges in a shared tree do not count for it. */
const OVERVIEWS: readonly {
  readonly title: string;
  readonly privilege: string;
  readonly reason: string;
  readonly view: () => ComponentChild;
}[] = [
  {
    title: "Credentials",
    privilege: "resources.view",
    reason: "It is that of your own tree that counts here.",
    view: TokensCard,
  },
  {
    title: "Waivers",
    privilege: "resources.admin",
    reason: "A waiver counts for every file with its content, in all trees.",
    view: WaiversCard,
  },
  {
    title: "Audit log",
    privilege: "resources.view",
    reason: "It is that of your own tree that counts here.",
    view: AuditCard,
  },
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
    h(Trees, { session: state.session }),
    state.session.is_person && h(state.session.of_provider ? NoPasskeys : PasskeysCard, null),
    h(SessionsCard, null),
    holds("users.admin") && h(PeopleCard, null),
    holds("users.admin") && h(TeamsCard, null),
    may("resources.download") ? h(LinksCard, null) : h(HiddenCard, {
      title: "Links",
      privilege: "resources.download",
      reason: "Links need it in the tree that is shown.",
    }),
    h(Privileges, null),
    OVERVIEWS.map(({ title, privilege, reason, view }) =>
      holds(privilege)
        ? h(view, { key: title })
        : h(HiddenCard, { key: title, title, privilege, reason })
    ),
  );
}

interface SessionProps {
  readonly session: ConsoleSession;
}

function Credential({ session: it }: SessionProps): ComponentChild {
  const { user_id: user, user_name: name, is_person: isPerson, expires_at: end } = it;
  return h(
    Card,
    { title: isPerson ? "You" : "Your credential" },
    h(Facts, {
      facts: [
        ["User", name === null ? String(user) : [h("bdi", { key: "name" }, name), ` (${user})`]],
        [isPerson ? "Signed in until" : "Expires", [
          `${time(end)} (`,
          h(Ago, { key: "end", at: end }),
          ")",
        ]],
        ["Shown tree", h("bdi", { key: "tree" }, nameIn(it, currentTree() ?? user))],
      ],
    }),
  );
}

/** For people whom the server gives no passkeys. */
function NoPasskeys(): ComponentChild {
  return h(
    Card,
    { title: "Passkeys" },
    h("p", { class: "muted" }, "You sign in by your provider, and need no passkey here."),
  );
}

/** What a tree is called. */
function nameIn(
  { user_id: own, user_name: name, tree_names: names }: ConsoleSession,
  tree: number,
) {
  return (tree === own ? name : names[tree]) ?? `User ${tree}`;
}

function UsageCard(): ComponentChild {
  const usage = useLoaded(
    (signal) => call<Usage>("GET", "/usage/", { signal }),
    [],
    isOfResource,
  );
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
          { title: "Tree", cell: (tree) => h("bdi", null, nameIn(it, tree)) },
          {
            title: "Privileges",
            kind: "code",
            cell: (tree) => (it.trees[String(tree)] ?? []).join(", "),
          },
          {
            title: "Show",
            cell: (tree) =>
              currentTree() === tree ? "Shown" : h(Button, {
                label: `Show tree ${it.tree_names[tree] ?? tree}`,
                onClick: () => goToTree(tree, "access"),
              }),
          },
        ],
      }),
  );
}
