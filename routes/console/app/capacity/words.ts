import type { CapacityOverview } from "../../../../schemas/capacity.ts";
import { bytes, count, plural } from "../shared/format.ts";

const MB = 2 ** 20;

/** What presses on the host, and what that means for scans, in a sentence each. */
export function pressureWords({ readings: host, tunables, level }: CapacityOverview): string {
  if (level === "OK") return "None: processors, memory and disk have room.";
  if (level === "UNKNOWN") return "Unknown: the host could not be read.";
  const below = (value: number, name: string) =>
    value < (tunables.find((it) => it.name === name)?.value ?? 0);
  const load = Math.round(host.LoadAvg1m / host.CPUCores * 100);
  const cpu = tunables.find(({ name }) => name === "cpuCautionPct")?.value ?? Infinity;
  return [
    load >= cpu && `The processors are busy (load ${load} %): scans start, but take longer.`,
    below(host.MemAvailableMB, "ramCautionMB") &&
    `Little memory is left (${bytes(host.MemAvailableMB * MB)}): fewer scans start.`,
    below(host.DiskFreeMB, "diskCautionMB") &&
    `Little disk is left (${bytes(host.DiskFreeMB * MB)}): below the limit, no scan starts.`,
  ].filter((it) => it !== false).join(" ");
}

/** How many more scans may start, in words that agree with the pressure. */
export function scansWords({ instances: { running, ceiling }, level }: CapacityOverview): string {
  if (running >= ceiling) {
    return `New scans wait: ${count(running)} run, and the host carries no more.`;
  }
  const more = plural(ceiling - running, "more scan");
  return level === "OK"
    ? `Memory is there for ${more}.`
    : `Memory is there for ${more}, but what runs is slower under this pressure.`;
}
