import { type ComponentChild, h } from "preact";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { count, plural } from "../shared/format.ts";
import { isOfScan } from "../shared/live.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";
import { Await, useLoaded } from "../ui/loaded.ts";

/** Scans that are looked through, and those of them that are listed. */
const LOADED = 200;
const MAX_SHOWN = 20;

interface Props {
  /** How many scans run on the host, of all trees. */
  readonly running: number;
}

/** Which scans run, and which of the shown tree wait, in the order in which they will run. */
export function ShownScans({ running }: Props): ComponentChild {
  if (may("scans.view")) return h(List, { running });
  return h(
    "p",
    { class: "muted" },
    "Which scans run and wait is not shown: your credential lacks the privilege ",
    h("code", null, "scans.view"),
    " in this tree.",
  );
}

function List({ running }: Props): ComponentChild {
  const loading = useLoaded(
    (signal) =>
      call<{ items: readonly ScanEntry[] }>("GET", "/scans/", {
        query: { limit: String(LOADED) },
        signal,
      }),
    [],
    (event) => isOfScan(event) && event.type !== "scan.progress",
  );
  return h(Await<{ items: readonly ScanEntry[] }>, {
    loading,
    what: "the scans that run and wait",
    children: ({ items }) => [
      h(RunningScans, {
        key: "running",
        own: items.filter(({ status }) => status === "running"),
        running,
      }),
      h(WaitingScans, {
        key: "waiting",
        waiting: items.filter(({ status }) => status === "queued").reverse(),
      }),
    ],
  });
}

/** The scans of the shown tree that run, and how many others do. Their paths concern other people. */
function RunningScans(
  { own, running }: Props & { readonly own: readonly ScanEntry[] },
): ComponentChild {
  // Other servers may run some of them.
  const others = Math.max(0, running - own.length);
  if (own.length + others === 0) return null;
  return [
    h("p", { key: "title" }, "Scans that run:"),
    h(
      "ul",
      { key: "list", "aria-label": "Scans that run" },
      own.slice(0, MAX_SHOWN).map((scan) => h(ShownScan, { key: scan.id, scan })),
      own.length > MAX_SHOWN &&
        h("li", { key: "more", class: "muted" }, `${count(own.length - MAX_SHOWN)} more`),
      others > 0 &&
        h(
          "li",
          { key: "others", class: "muted" },
          plural(others, "scan of another tree", "scans of other trees"),
        ),
    ),
  ];
}

function WaitingScans({ waiting }: { readonly waiting: readonly ScanEntry[] }): ComponentChild {
  if (waiting.length === 0) return h("p", null, "No scan of this tree waits.");
  const more = waiting.length - MAX_SHOWN;
  return [
    h(
      "p",
      { key: "count" },
      `Of this tree, ${plural(waiting.length, "scan waits", "scans wait")}:`,
    ),
    h(
      "ol",
      { key: "list", "aria-label": "Scans that wait" },
      waiting.slice(0, MAX_SHOWN).map((scan) => h(ShownScan, { key: scan.id, scan })),
    ),
    more > 0 && h("p", { key: "more", class: "muted" }, `${plural(more, "scan")} more.`),
  ];
}

function ShownScan({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  const { id, paths, paths_total: total, created_at: since } = scan;
  const more = total > 1 ? ` and ${plural(total - 1, "more path")}` : "";
  return h(
    "li",
    null,
    h("a", { href: linkTo("scans", String(id)) }, `Scan ${id}: `, h("bdi", null, paths[0])),
    `${more}, since `,
    h(Ago, { at: since }),
  );
}
