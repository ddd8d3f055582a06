/** What the figures of a run depend on. */

import { HUB_VERSIONS } from "../support/hub_clients.ts";
import { run } from "../support/tools.ts";
import { ROUNDS, SHORT } from "./measures.ts";

/** The programs that take part if they are installed, with the arguments that print their version. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  curl: ["--version"],
  md5sum: ["--version"],
  zip: ["-v"],
  nginx: ["-v"],
  dufs: ["--version"],
  rclone: ["version", "--config", ""],
  wrk: ["-v"],
};

/** The machine, the programs and the run, a line for each fact. */
export async function describeRun(filters: readonly string[]): Promise<string[]> {
  const cpu = /^model name\s*: (.*)$/m.exec(await Deno.readTextFile("/proc/cpuinfo"))?.[1];
  const cores = navigator.hardwareConcurrency;
  const gigabytes = (Deno.systemMemoryInfo().total / 1e9).toFixed(0);
  const { stdout } = await run("git", ["log", "-1", "--format=%h of %cs"]);
  const [load = 0] = Deno.loadavg();
  return [
    `${new Date().toISOString().slice(0, 10)}, commit ${stdout.trim()}`,
    `${
      cpu ?? "unknown processor"
    }, ${cores} cores, ${gigabytes} GB of memory, Linux ${Deno.osRelease()}`,
    ...await describePrograms(),
    `Rounds: ${ROUNDS}, after one that does not count`,
    ...filters.length > 0 ? [`Only cases whose names contain: ${filters.join(", ")}`] : [],
    ...SHORT ? ["A short run, with a tenth of the sizes: it only shows that the cases work"] : [],
    ...load > cores / 2 ? [`Other programs were running: the load was ${load.toFixed(1)}`] : [],
  ];
}

async function describePrograms(): Promise<string[]> {
  const [hub] = HUB_VERSIONS;
  const versions = [["Deno", Deno.version.deno], ["huggingface_hub", hub?.version]];
  for (const [name, args] of Object.entries(PROGRAMS)) {
    versions.push([name, await versionOf(name, args)]);
  }
  const installed = versions.filter(([, version]) => version !== undefined);
  const missing = versions.filter(([, version]) => version === undefined);
  return [
    installed.map(([name, version]) => `${name} ${version}`).join(", "),
    ...missing.length > 0 ? [`Not installed: ${missing.map(([name]) => name).join(", ")}`] : [],
  ];
}

/** The version that a program prints; undefined if it is not installed. Some fail after they have printed it. */
async function versionOf(program: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await run(program, args);
    return /\d+\.\d[\w.+-]*/.exec(stdout + stderr)?.[0] ?? "unknown";
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
