import { type ComponentChild, h, type TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { AuditLine, AuditList } from "../../../../schemas/audit.ts";
import { call } from "../shared/api.ts";
import { plural, time } from "../shared/format.ts";
import { holds, userLabel } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Await } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { Rows, type RowsColumn } from "../ui/rows.ts";
import { type LoadPage, type Page, usePaged } from "../ui/paged.ts";
import { useRefresh } from "../ui/refresh.ts";

const PAGE = "50";
/** A search for rare lines asks again this often before it shows what it has found. */
const MAX_REQUESTS = 5;

/** What lines have to match. Empty fields match all. */
interface Filter {
  readonly user: string;
  readonly action: string;
  readonly outcome: string;
  readonly path: string;
  /** Days, as the person sees them. */
  readonly since: string;
  readonly until: string;
}

const EVERYTHING: Filter = { user: "", action: "", outcome: "", path: "", since: "", until: "" };

/** The audit log: what was done in the person's name, or all of it (C 22). */
export function AuditCard(): ComponentChild {
  const [filter, setFilter] = useState(EVERYTHING);
  const isAdmin = holds("resources.admin");
  return h(
    Card,
    { title: "Audit log" },
    h(
      "p",
      { class: "muted" },
      isAdmin
        ? "Who changed what, and what was refused, newest first."
        : "What was done in your name, and what was refused, newest first.",
    ),
    h(Filters, { isAdmin, onFilter: setFilter }),
    h(Lines, { key: JSON.stringify(filter), filter, isAdmin }),
  );
}

function Filters(
  { isAdmin, onFilter }: {
    readonly isAdmin: boolean;
    readonly onFilter: (filter: Filter) => void;
  },
): ComponentChild {
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const text = (name: keyof Filter) => String(data.get(name) ?? "").trim();
    onFilter({
      user: text("user"),
      action: text("action"),
      outcome: text("outcome"),
      path: text("path"),
      since: text("since"),
      until: text("until"),
    });
  };
  const field = (
    name: keyof Filter,
    label: string,
    more: Record<string, string | number | undefined> = {},
  ) =>
    h(
      "label",
      { key: name, class: "field" },
      h("span", null, label),
      h("input", { name, type: "text", autocomplete: "off", ...more }),
    );
  return h(
    "form",
    { class: "audit-filters", role: "search", "aria-label": "Audit log", onSubmit: submit },
    isAdmin && field("user", "User", { inputMode: "numeric", pattern: "[1-9][0-9]{0,15}" }),
    field("action", "Action", { placeholder: "resources.delete" }),
    h(
      "label",
      { class: "field" },
      h("span", null, "Outcome"),
      h(
        "select",
        { name: "outcome" },
        h("option", { value: "" }, "Any"),
        h("option", { value: "ok" }, "Done"),
        h("option", { value: "ErrNotPermitted" }, "Not permitted"),
        h("option", { value: "ErrResourcesQuarantined" }, "Refused by the gate"),
        h("option", { value: "ErrResourcesRefused" }, "Refused by the policy"),
      ),
    ),
    field("path", "Path begins with", { placeholder: "models/" }),
    field("since", "From", { type: "date" }),
    field("until", "To", { type: "date" }),
    h(Button, { label: "Search", type: "submit" }),
  );
}

function Lines(
  { filter, isAdmin }: { readonly filter: Filter; readonly isAdmin: boolean },
): ComponentChild {
  const paged = usePaged(pagesWith(filter));
  useRefresh(paged);
  return h(Await<readonly AuditPage[]>, {
    loading: paged,
    what: "the audit log",
    children: (pages) => {
      const lines = pages.flatMap(({ items }) => items);
      const skipped = pages.reduce((sum, page) => sum + page.skipped, 0);
      return [
        lines.length === 0
          ? h(
            "p",
            { key: "none", class: "muted", role: "status" },
            paged.more === undefined ? "No line matches." : "No line matches so far.",
          )
          : h(Rows<AuditLine>, {
            key: "lines",
            label: "Audit log",
            rows: lines,
            columns: columnsOf(isAdmin),
          }),
        skipped > 0 &&
        h("p", { key: "skipped", class: "muted" }, `${plural(skipped, "line")} could not be read.`),
        paged.more !== undefined &&
        h("p", { key: "more" }, h(Button, { label: "More of the audit log", onClick: paged.more })),
      ];
    },
  });
}

interface AuditPage extends Page<AuditLine> {
  readonly skipped: number;
}

function pagesWith(filter: Filter): LoadPage<AuditLine, AuditPage> {
  const day = (date: string, moment: string) =>
    date === "" ? undefined : new Date(`${date}T${moment}`).toISOString();
  const stated = {
    user: filter.user || undefined,
    action: filter.action || undefined,
    outcome: filter.outcome || undefined,
    path: filter.path || undefined,
    since: day(filter.since, "00:00:00"),
    // Through the last moment of that day, where the person is.
    until: day(filter.until, "23:59:59.999"),
  };
  return async (first, signal) => {
    const items: AuditLine[] = [];
    let skipped = 0;
    let before = first;
    for (let requests = 0; requests < MAX_REQUESTS; requests++) {
      const page = await call<AuditList>("GET", "/audit/", {
        query: { ...stated, limit: PAGE, before },
        inTree: false,
        signal,
      });
      items.push(...page.items);
      skipped += page.skipped;
      before = page.next ?? undefined;
      if (before === undefined || items.length > 0) break;
    }
    return { items, skipped, next: before };
  };
}

function columnsOf(isAdmin: boolean): readonly RowsColumn<AuditLine>[] {
  const user: RowsColumn<AuditLine> = {
    title: "User",
    cell: ({ user }) => user === undefined ? "Operator or link" : h("bdi", null, userLabel(user)),
  };
  return [
    { title: "Time", cell: ({ time: at }) => h("time", { dateTime: at, title: at }, time(at)) },
    ...isAdmin ? [user] : [],
    {
      title: "Tree",
      cell: ({ tree }) => tree === undefined ? "" : h("bdi", null, userLabel(tree)),
    },
    { title: "Action", kind: "code", cell: ({ action }) => action },
    { title: "What", cell: (line) => h("bdi", null, subjectOf(line)) },
    {
      title: "Outcome",
      cell: ({ outcome }) => outcome === "ok" ? "Done" : h("strong", null, outcome),
    },
    { title: "From", kind: "code", cell: ({ address }) => address ?? "" },
  ];
}

/** What a line is about: its paths, or what else it names. */
function subjectOf(line: AuditLine): string {
  const { paths } = line;
  const { more_paths: more, jti, label, link, scan, waiver } = line;
  if (paths.length > 0) {
    return paths.join(", ") + (typeof more === "number" ? ` and ${more} more` : "");
  }
  if (jti !== undefined) return `Credential ${label ?? jti}`;
  const named = Object.entries({ Link: link, Scan: scan, Waiver: waiver })
    .find(([, id]) => id !== undefined);
  return named === undefined ? "" : named.join(" ");
}
