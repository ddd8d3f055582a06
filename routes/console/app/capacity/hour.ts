import { type ComponentChild, h } from "preact";
import { useEffect } from "preact/hooks";
import type { CapacityHistory, CapacityOverview } from "../../../../schemas/capacity.ts";
import { call } from "../shared/api.ts";
import { bytes, clock, count } from "../shared/format.ts";
import { AsTable } from "../ui/as_table.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { Plot, type Point } from "./plot.ts";

const MB = 2 ** 20;
const HOUR_MS = 60 * 60_000;
const AGAIN_MS = 30_000;

type Reading = CapacityHistory["items"][number];

/** The last hour of the host, as the server has kept it. @param levels The words for what presses. */
export function HourCard(
  { levels }: { readonly levels: Readonly<Record<CapacityOverview["level"], string>> },
): ComponentChild {
  const loading = useLoaded(
    (signal) => call<CapacityHistory>("GET", "/capacity/history", { inTree: false, signal }),
    [],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || loading.reload(), AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  return h(
    Card,
    { title: "The last hour" },
    h(
      "p",
      { class: "muted" },
      "Read every 30 seconds by the server that replies, since its start. Other servers keep their own.",
    ),
    h(Await<CapacityHistory>, {
      loading,
      what: "the last hour",
      children: ({ items }) => [
        h(HourPlots, { key: "plots", items }),
        h(AsTable, { key: "table" }, h(HourTable, { items, levels })),
      ],
    }),
  );
}

const percent = (value: number) => `${Math.round(value)} %`;
const loadOf = ({ readings: it }: Reading) => it.LoadAvg1m / it.CPUCores * 100;
const memoryOf = ({ readings: it }: Reading) => (1 - it.MemAvailableMB / it.MemTotalMB) * 100;

function HourPlots({ items }: { readonly items: readonly Reading[] }): ComponentChild {
  const to = Date.parse(items.at(-1)?.time ?? "");
  if (items.length < 2) return h("p", null, "The server has just started: come back in a minute.");
  const plot = (
    title: string,
    valueOf: (reading: Reading) => number | null,
    { show, min }: { readonly show: (value: number) => string; readonly min: number },
  ) => {
    const points: Point[] = items.flatMap((reading) => {
      const value = valueOf(reading);
      return value === null ? [] : [{ at: Date.parse(reading.time), value }];
    });
    const max = Math.max(min, ...points.map(({ value }) => value));
    const range = { from: to - HOUR_MS, to, past: "hour" } as const;
    return h(Plot, { title, points, max, show, ...range });
  };
  return h(
    "div",
    { class: "plots" },
    plot("Load", loadOf, { show: percent, min: 100 }),
    plot("Memory", memoryOf, { show: percent, min: 100 }),
    plot("Running", ({ running }) => running, { show: count, min: 1 }),
    plot("Waiting", ({ waiting }) => waiting, { show: count, min: 1 }),
  );
}

function HourTable(
  { items, levels }:
    & { readonly items: readonly Reading[] }
    & Parameters<typeof HourCard>[0],
): ComponentChild {
  return h(Rows<Reading>, {
    label: "Readings of the last hour",
    rows: items.toReversed(),
    keyOf: ({ time }) => time,
    columns: [
      {
        title: "Time",
        cell: ({ time }) => h("time", { dateTime: time, class: "number" }, clock(time)),
      },
      { title: "Pressure", cell: ({ level }) => levels[level] },
      { title: "Load", kind: "number", cell: (it) => percent(loadOf(it)) },
      { title: "Memory", kind: "number", cell: (it) => percent(memoryOf(it)) },
      { title: "Free disk", kind: "number", cell: (it) => bytes(it.readings.DiskFreeMB * MB) },
      {
        title: "Running scans",
        kind: "number",
        cell: ({ running, ceiling }) => `${count(running)} of ${count(ceiling)}`,
      },
      {
        title: "Waiting scans",
        kind: "number",
        cell: ({ waiting }) => waiting === null ? "Unknown" : count(waiting),
      },
    ],
  });
}
