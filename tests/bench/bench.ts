/**
 * `deno task bench`: compares the server with reference programs on the same machine, as ratios. Needs
 * curl, md5sum and zip, and compares with nginx, dufs and rclone if they are installed. Small GETs are sent
 * by wrk if it is installed. Each case starts its own server processes, as users do.
 */

import { parseArgs } from "node:util";
import { ChildServer } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { ARCHIVE_CASES } from "./archive_cases.ts";
import { GATE_CASES } from "./gate_cases.ts";
import { HOST_CASES } from "./host_cases.ts";
import { HUB_CASES } from "./hub_cases.ts";
import { type Case, comparisonLines, type Result, ROUNDS, SHORT } from "./measures.ts";
import { Peers, peerVersions } from "./peers.ts";
import { type Report, writeReport } from "./report.ts";
import { START_CASES } from "./start_cases.ts";
import { SMALL_CASES, TRANSFER_CASES } from "./transfer_cases.ts";
import { TREE_CASES } from "./tree_cases.ts";

const LIMITS = {
  STRONGROOM_MAX_UPLOAD_FILE_SIZE: "100000000000",
  STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "100000000000",
};

const CASES: readonly Case[] = [
  ...TRANSFER_CASES,
  ...SMALL_CASES,
  ...HUB_CASES,
  ...ARCHIVE_CASES,
  ...GATE_CASES,
  ...TREE_CASES,
  ...START_CASES,
  ...HOST_CASES,
];

/** Runs the cases whose names contain one of the filters, or all cases. */
async function main(args: string[]): Promise<void> {
  const { values: { report: path }, positionals: filters } = parseArgs({
    args,
    options: { report: { type: "string" }, short: { type: "boolean" } },
    allowPositionals: true,
  });
  for (const program of ["curl", "md5sum", "zip"]) {
    const available = await hasProgram(program, "--version") || await hasProgram(program, "-v");
    if (!available) throw new Error(`The benchmarks need ${program}`);
  }
  const machine = await describeMachine();
  console.log(machine.join("\n"));
  const results: [string, Result][] = [];
  for (const { name, measure } of CASES) {
    if (filters.length > 0 && !filters.some((part) => name.includes(part))) continue;
    const result = await runCase(measure).catch((error) => {
      Deno.exitCode = 1;
      return {
        comparisons: [],
        notes: [`failed: ${error instanceof Error ? error.message : error}`],
      };
    });
    const lines = [...result.comparisons.flatMap(comparisonLines), ...result.notes];
    console.log(`\n${name}\n${lines.map((line) => `  ${line}`).join("\n")}`);
    results.push([name, result]);
  }
  if (path !== undefined) await finishReport(path, { machine, results });
}

async function runCase(measure: Case["measure"]): Promise<Result> {
  await using temporary = await TempDir.make();
  const directory = temporary.path;
  await using server = await ChildServer.start({ dataDir: `${directory}/data`, env: LIMITS });
  const client = await server.as(1);
  await using peers = await Peers.start(directory);
  return await measure({ directory, server, client, peers: peers.all });
}

/** What the figures depend on, a line for each fact. */
async function describeMachine(): Promise<string[]> {
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
    [`Deno ${Deno.version.deno}`, ...await peerVersions()].join("; "),
    `${ROUNDS} rounds in turn; figures are median (min…max)`,
    ...SHORT ? ["A short run, with a tenth of the sizes: it only shows that the cases work"] : [],
    ...load > cores / 2 ? [`Other programs were running: the load was ${load.toFixed(1)}`] : [],
  ];
}

async function finishReport(path: string, report: Report): Promise<void> {
  const written = await writeReport(path, report);
  const { code, stderr } = await run(Deno.execPath(), ["fmt", "-q", ...written]);
  if (code !== 0) throw new Error(stderr);
  console.log(`\nWritten: ${written.join(", ")}`);
}

if (import.meta.main) await main(Deno.args);
