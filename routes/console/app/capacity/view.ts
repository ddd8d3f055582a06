import { type ComponentChild, h } from "preact";
import { useEffect } from "preact/hooks";
import type { CapacityOverview } from "../../../../schemas/capacity.ts";
import { bytes, count, plural } from "../shared/format.ts";
import { useStore } from "../shared/store.ts";
import { Ago } from "../ui/ago.ts";
import { Icon, type IconName } from "../ui/icon.ts";
import { Card, Facts } from "../ui/pairs.ts";
import { Rows } from "../ui/rows.ts";
import { Loading, Problem } from "../ui/states.ts";
import { HourCard } from "./hour.ts";
import { Plot } from "./plot.ts";
import { ShownScans } from "./shown_scans.ts";
import { pressureWords, scansWords } from "./words.ts";
import { followCapacity, type Reading, readings, WINDOW_MS } from "./readings.ts";

const MB = 2 ** 20;

/** The room Capacity: what the host carries, what it could, and who waits. */
export function CapacityView(): ComponentChild {
  const { list, error } = useStore(readings);
  useEffect(followCapacity, []);
  const last = list.at(-1);
  if (last === undefined) {
    return error === undefined
      ? h(Loading, { what: "the capacity" })
      : h(Problem, { error, isPage: true });
  }
  const { overview } = last;
  return h(
    "div",
    { class: "page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, "Capacity"),
      h(LevelBadge, { level: overview.level }),
    ),
    h(Plots, { list, last }),
    h(HourCard, { levels: LEVEL_WORDS }),
    h("div", { class: "page-columns" }, h(Pressure, { overview }), h(Waiting, { overview })),
    h(Leases, { overview }),
    h(Tunables, { overview }),
  );
}

const LEVELS: Readonly<
  Record<CapacityOverview["level"], { word: string; icon: IconName; badge: string }>
> = {
  OK: { word: "OK", icon: "check", badge: "clean" },
  CAUTION: { word: "Caution", icon: "alert", badge: "suspicious" },
  CRITICAL: { word: "Critical", icon: "cross", badge: "dangerous" },
  UNKNOWN: { word: "Unknown", icon: "question", badge: "failed" },
};

const LEVEL_WORDS = {
  OK: LEVELS.OK.word,
  CAUTION: LEVELS.CAUTION.word,
  CRITICAL: LEVELS.CRITICAL.word,
  UNKNOWN: LEVELS.UNKNOWN.word,
};

function LevelBadge({ level }: { readonly level: CapacityOverview["level"] }): ComponentChild {
  const { word, icon, badge } = LEVELS[level];
  return h(
    "span",
    { class: `badge badge-${badge}`, role: "status" },
    h(Icon, { name: icon }),
    `Pressure: ${word}`,
  );
}

function Plots(
  { list, last }: { readonly list: readonly Reading[]; readonly last: Reading },
): ComponentChild {
  const { readings: host, instances } = last.overview;
  const range = { from: last.at - WINDOW_MS, to: last.at };
  const points = (valueOf: (overview: CapacityOverview) => number) =>
    list.map(({ at, overview }) => ({ at, value: valueOf(overview) }));
  const percent = (value: number) => `${Math.round(value)} %`;
  const load = points(({ readings: it }) => it.LoadAvg1m / it.CPUCores * 100);
  const disk = points(({ readings: { DiskFreeMB: free } }) => free * MB);
  return h(
    "div",
    { class: "plots" },
    h(Plot, {
      ...range,
      title: `Load of ${plural(host.CPUCores, "core")}`,
      points: load,
      max: Math.max(100, ...load.map(({ value }) => value)),
      show: percent,
    }),
    h(Plot, {
      ...range,
      title: `Memory of ${bytes(host.MemTotalMB * MB)}`,
      points: points(({ readings: it }) => (1 - it.MemAvailableMB / it.MemTotalMB) * 100),
      max: 100,
      show: percent,
    }),
    h(Plot, {
      ...range,
      title: "Free disk",
      points: disk,
      max: Math.max(...disk.map(({ value }) => value)) * 1.2,
      show: bytes,
    }),
    h(Plot, {
      ...range,
      title: `Running scans, of ${count(instances.ceiling)} at most`,
      points: points(({ instances: it }) => it.running),
      max: Math.max(1, ...list.map(({ overview }) => overview.instances.ceiling)),
      show: count,
    }),
  );
}

interface Props {
  readonly overview: CapacityOverview;
}

function Pressure({ overview }: Props): ComponentChild {
  const { instances, tools, leases } = overview;
  const light = leases === null ? 0 : leases.active_total - leases.active_heavy;
  return h(
    Card,
    { title: "What the host carries" },
    h(Facts, {
      facts: [
        ["Pressure", pressureWords(overview)],
        ["Scans", `${count(instances.running)} run of ${count(instances.ceiling)} at most`],
        [
          "Heavy tools",
          `${count(leases?.active_heavy ?? 0)} of ${plural(tools.HeavyToolSlots, "slot")}`,
        ],
        ["Light tools", `${count(light)} of ${plural(tools.LightToolSlots, "slot")}`],
        [
          "Memory limit",
          tools.memory_limit === "disabled"
            ? "None for heavy tools"
            : `${tools.memory_limit} for a heavy tool`,
        ],
      ],
    }),
  );
}

/** Who waits, and why. */
function Waiting({ overview }: Props): ComponentChild {
  const { instances, leases } = overview;
  const waiting = leases?.waiting ?? 0;
  return h(
    Card,
    { title: "Who waits, and why" },
    h(
      "p",
      null,
      scansWords(overview),
    ),
    h(ShownScans, { running: instances.running }),
    h(
      "p",
      null,
      waiting === 0
        ? "No tool waits for a slot."
        : `${plural(waiting, "tool waits", "tools wait")} for a slot.`,
    ),
  );
}

function Leases({ overview: { leases } }: Props): ComponentChild {
  return h(
    Card,
    { title: "Held leases" },
    leases === null || leases.active.length === 0
      ? h("p", { class: "muted" }, "No tool runs.")
      : h(Rows<typeof leases.active[number]>, {
        label: "Held leases",
        rows: leases.active,
        keyOf: ({ id }) => id,
        columns: [
          { title: "Tool", kind: "code", cell: ({ tool_name: tool }) => tool },
          { title: "Weight", cell: ({ heavy }) => heavy ? "Heavy" : "Light" },
          {
            title: "Memory limit",
            kind: "number",
            cell: ({ memory_limit_mb: limit }) => limit === 0 ? "None" : bytes(limit * MB),
          },
          {
            title: "Since",
            cell: ({ since }) => h(Ago, { at: since }),
          },
        ],
      }),
  );
}

function Tunables({ overview: { tunables } }: Props): ComponentChild {
  return h(
    Card,
    { title: "Tunables" },
    h(Rows<typeof tunables[number]>, {
      label: "Tunables",
      rows: tunables,
      keyOf: ({ name }) => name,
      columns: [
        { title: "Name", kind: "code", cell: ({ name }) => name },
        { title: "Value", kind: "number", cell: ({ value }) => String(value) },
        { title: "Variable", kind: "code", cell: ({ variable }) => variable },
        { title: "Set by", cell: ({ source }) => source },
      ],
    }),
  );
}
