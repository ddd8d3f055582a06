import { type ComponentChild, h } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import type { Verdict } from "../../../../schemas/verdict_names.ts";
import { linkTo } from "../shared/router.ts";
import { may } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { Loading, Notice, Problem } from "../ui/states.ts";
import { VerdictFilter } from "../ui/verdict_filter.ts";
import { askForScan } from "./actions.ts";
import { ScanList } from "./scan_list.ts";
import { outcomeOf, ScanProgress, ScanRow } from "./scan_row.ts";
import { VerdictDaysCard } from "./verdict_days.ts";

/** The room Scans: those that run, those that wait, and those that ended. */
export function ScansView(): ComponentChild {
  const list = useMemo(() => new ScanList(), []);
  useEffect(() => () => list[Symbol.dispose](), []);
  const mayScan = may("scans.run") && may("resources.download");
  return h(
    "div",
    { class: "page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, "Scans"),
      mayScan &&
        h(Button, { label: "New scan", icon: "plus", kind: "primary", onClick: askForScan }),
    ),
    may("resources.view") && h(VerdictDaysCard, null),
    h(Content, { list }),
  );
}

function Content({ list }: { readonly list: ScanList }): ComponentChild {
  const { status, error, scans, hasMore } = useStore(list.listing);
  if (status === "loading") return h(Loading, { what: "scans" });
  if (status === "failed") {
    return h(Problem, {
      error,
      retry: () => void list.load(),
      isPage: true,
    });
  }
  if (scans.length === 0) {
    return h(
      Notice,
      { icon: "scans", title: "No scans yet" },
      h("p", null, "A scan reads files and reports what may be harmful in them."),
    );
  }
  const of = (...wanted: ScanEntry["status"][]) => scans.filter((it) => wanted.includes(it.status));
  const running = of("running");
  // The oldest request is next.
  const queued = of("queued").toReversed();
  return [
    running.length > 0 && h(
      Card,
      { key: "running", title: "Running" },
      h(
        "ul",
        { class: "scan-list" },
        running.map((scan) => h(ScanProgress, { key: scan.id, scan })),
      ),
    ),
    queued.length > 0 && h(
      Card,
      { key: "queued", title: "Waiting" },
      h("p", { class: "muted" }, "Each starts when the host can carry it and it is your turn."),
      h("ul", { class: "scan-list" }, queued.map((scan) => h(ScanRow, { key: scan.id, scan }))),
    ),
    h(Ended, { key: "ended", scans: of("completed", "failed", "cancelled") }),
    hasMore && h(
      "p",
      { key: "more" },
      h(Button, { label: "Older scans", onClick: () => void list.loadOlder() }),
    ),
  ];
}

/** The scans that ended. Two of them can be compared. */
function Ended({ scans }: { readonly scans: readonly ScanEntry[] }): ComponentChild {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [verdict, setVerdict] = useState<Verdict>();
  const byOutcome = Map.groupBy(scans, outcomeOf);
  const counts = new Map(byOutcome.entries().map(([it, { length }]) => [it, length]));
  if (scans.length === 0) return null;
  const [before, after] = chosen.toSorted((a, b) => a - b);
  const toggle = (id: number) =>
    setChosen(chosen.includes(id) ? chosen.filter((it) => it !== id) : [...chosen.slice(-1), id]);
  return h(
    Card,
    {
      title: "Finished",
      actions: after !== undefined
        ? h(
          "a",
          { class: "button", href: linkTo("scans", `compare/${before}/${after}`) },
          "Compare",
        )
        : scans.length > 1 && h("span", { class: "muted" }, "Select two to compare"),
    },
    h(VerdictFilter, { counts, chosen: verdict, onChoose: setVerdict }),
    h(
      "ul",
      { class: "scan-list" },
      (verdict === undefined ? scans : byOutcome.get(verdict) ?? []).map((scan) =>
        h(ScanRow, {
          key: scan.id,
          scan,
          ...(scans.length > 1 && scan.status === "completed" && {
            isChosen: chosen.includes(scan.id),
            onChoose: () => toggle(scan.id),
          }),
        })
      ),
    ),
  );
}
