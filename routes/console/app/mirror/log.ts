import { type ComponentChild, h } from "preact";
import type { AuditLine, AuditList } from "../../../../schemas/audit.ts";
import { call } from "../shared/api.ts";
import { userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { type LoadPage, PagedList, usePaged } from "../ui/paged.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { RuleName } from "./state_cards.ts";

/** The team whose tree has mirrored files. */
const TREE = "mirror";
const PAGE = "50";

const loadPage: LoadPage<AuditLine> = async (before, signal) => {
  const { items, next } = await call<AuditList>("GET", "/audit/", {
    query: { tree: TREE, limit: PAGE, before },
    ...{ inTree: false, signal },
  });
  return { items, next: next ?? undefined };
};

/** Which files were let through for the first time, which were refused, and what administrators did. */
export function LogCard(): ComponentChild {
  const paged = usePaged(loadPage);
  useRefresh(paged);
  return h(
    Card,
    { title: "Let through and refused" },
    h(PagedList<AuditLine>, {
      paged,
      what: "lines",
      empty: "Nothing yet.",
      children: (lines) =>
        h(Rows<AuditLine>, { label: "Let through and refused", rows: lines, columns: COLUMNS }),
    }),
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  "mirror.admit": "Let through",
  "mirror.pin": "Pinned or unpinned",
  "mirror.delete": "Removed",
  "mirror.import": "Imported",
};

const COLUMNS: readonly RowsColumn<AuditLine>[] = [
  { title: "Time", cell: ({ time: at }) => h(Ago, { at }) },
  {
    title: "User",
    cell: ({ user, user_name: name }) =>
      h("bdi", null, name ?? (user === undefined ? "Operator" : userLabel(user))),
  },
  { title: "What", cell: ({ paths }) => h("bdi", null, paths.map(withShortCommit).join(", ")) },
  { title: "Outcome", cell: (line) => h(Outcome, { line }) },
];

/** The path of a file in the tree of the mirror, with the beginning of its commit id. */
function withShortCommit(path: string): string {
  return path.replace(/^([^@]*@[0-9a-f]{12})[0-9a-f]{28}(?=\/|$)/, "$1");
}

function Outcome({ line }: { readonly line: AuditLine }): ComponentChild {
  const { action, outcome, rule, reason } = line;
  if (outcome === "ok") return ACTIONS[action] ?? h("code", null, action);
  return h(
    "div",
    null,
    h("strong", null, "Refused"),
    typeof rule === "string" && [" by ", h(RuleName, { key: "rule", rule })],
    h("div", { class: "muted" }, h("bdi", null, String(reason ?? outcome))),
  );
}
