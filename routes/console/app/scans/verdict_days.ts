import { type ComponentChild, h } from "preact";
import { useEffect } from "preact/hooks";
import type { VerdictDays } from "../../../../schemas/verdicts.ts";
import { SCANNED_VERDICTS, type ScannedVerdict } from "../../../../schemas/verdict_names.ts";
import { call } from "../shared/api.ts";
import { count, day as dayOf, plural } from "../shared/format.ts";
import { isOfResource, onLive } from "../shared/live.ts";
import { AsTable } from "../ui/as_table.ts";
import { Await, type Load, useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { BY_CONCERN, VerdictBadge, verdictWord } from "../ui/verdict.ts";

type Day = VerdictDays["items"][number];

/** Units of the picture of a verdict. */
const BAR = 10;
const HEIGHT = 40;
/** Changes may come by the hundred: then they are counted once in this time. */
const AGAIN_MS = 5000;

/** The verdicts of a scan, worst first. */
const SHOWN = BY_CONCERN.flatMap((it) => SCANNED_VERDICTS.filter((verdict) => verdict === it));

/** What was found in the files of the tree, by the days of their scans. */
export function VerdictDaysCard(): ComponentChild {
  const loading = useLoaded(
    (signal) => call<VerdictDays>("GET", "/verdicts/days", { signal }),
    [],
  );
  useReloads(loading);
  return h(
    Card,
    { title: "Verdicts by day" },
    h(
      "p",
      { class: "muted" },
      "Files that are here, by the day of their newest scan (UTC): the last 30 days, today at the right.",
    ),
    h(Await<VerdictDays>, {
      loading,
      what: "the verdicts",
      children: ({ items }) => h(Days, { items }),
    }),
  );
}

/** Counts again some time after files or verdicts have changed. */
function useReloads({ reload }: Load<VerdictDays>): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = onLive((event) => {
      if (!isOfResource(event) && event.type !== "scan.finished") return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, AGAIN_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
}

function Days({ items }: { readonly items: readonly Day[] }): ComponentChild {
  const found = SHOWN.filter((verdict) => items.some((item) => item[verdict] > 0));
  if (found.length === 0) return h("p", null, "No file was scanned in the last 30 days.");
  const scanned = items.filter((item) => found.some((verdict) => item[verdict] > 0));
  return [
    h(
      "ul",
      { key: "picture", class: "verdict-days" },
      found.map((verdict) => h(DaysOfVerdict, { key: verdict, verdict, items })),
    ),
    h(
      AsTable,
      { key: "table" },
      h(Rows<Day>, {
        label: "Verdicts by day",
        rows: scanned.toReversed(),
        keyOf: ({ day }) => day,
        columns: [
          { title: "Day", cell: ({ day }) => h("time", { dateTime: day }, dayOf(day)) },
          ...found.map((verdict) => ({
            title: verdictWord(verdict),
            kind: "number" as const,
            cell: (item: Day) => count(item[verdict]),
          })),
        ],
      }),
    ),
  ];
}

/** A verdict as bars, on a scale of its own: one dangerous file is seen beside a thousand clean ones. */
function DaysOfVerdict(
  { verdict, items }: { readonly verdict: ScannedVerdict; readonly items: readonly Day[] },
): ComponentChild {
  const counts = items.map((item) => item[verdict]);
  const most = Math.max(...counts);
  const total = counts.reduce((sum, it) => sum + it, 0);
  const label = `${verdictWord(verdict)}: ${plural(total, "file")} in 30 days, ` +
    `at most ${count(most)} a day, ${count(counts.at(-1) ?? 0)} today`;
  return h(
    "li",
    { class: `verdict-days-row badge-${verdict}` },
    h(VerdictBadge, { verdict }),
    h("span", { class: "number" }, plural(total, "file")),
    h(
      "figure",
      null,
      h(
        "svg",
        {
          viewBox: `0 0 ${BAR * counts.length} ${HEIGHT}`,
          preserveAspectRatio: "none",
          role: "img",
          "aria-label": label,
        },
        h("line", {
          class: "plot-grid",
          x1: 0,
          x2: BAR * counts.length,
          y1: HEIGHT,
          y2: HEIGHT,
        }),
        counts.map((it, index) => {
          // Any number is seen.
          const height = it === 0 ? 0 : Math.max(4, HEIGHT * it / most);
          return h("rect", {
            key: index,
            x: BAR * index + 1,
            y: HEIGHT - height,
            width: BAR - 2,
            height,
          });
        }),
      ),
      h("figcaption", { class: "muted" }, `At most ${count(most)} a day`),
    ),
  );
}
