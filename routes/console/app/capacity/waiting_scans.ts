import { type ComponentChild, h } from "preact";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { ago, plural, time } from "../shared/format.ts";
import { isOfScan } from "../shared/live.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { Await, useLoaded } from "../ui/loaded.ts";

/** Scans that are looked through, and those of them that are listed. */
const LOADED = 200;
const MAX_SHOWN = 20;

/** Which scans of the shown tree wait, in the order in which they will run. */
export function WaitingScans(): ComponentChild {
  if (may("scans.view")) return h(List, null);
  return h(
    "p",
    { class: "muted" },
    "Which scans wait is not shown: your credential lacks the privilege ",
    h("code", null, "scans.view"),
    " in this tree.",
  );
}

function List(): ComponentChild {
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
    what: "the scans that wait",
    children: ({ items }) => {
      const waiting = items.filter(({ status }) => status === "queued").reverse();
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
          waiting.slice(0, MAX_SHOWN).map((scan) => h(WaitingScan, { key: scan.id, scan })),
        ),
        more > 0 && h("p", { key: "more", class: "muted" }, `${plural(more, "scan")} more.`),
      ];
    },
  });
}

function WaitingScan({ scan }: { readonly scan: ScanEntry }): ComponentChild {
  const { id, paths, paths_total: total, created_at: since } = scan;
  const more = total > 1 ? ` and ${plural(total - 1, "more path")}` : "";
  return h(
    "li",
    null,
    h("a", { href: linkTo("scans", String(id)) }, `Scan ${id}: `, h("bdi", null, paths[0])),
    `${more}, since `,
    h("time", { dateTime: since, title: time(since) }, ago(since)),
  );
}
