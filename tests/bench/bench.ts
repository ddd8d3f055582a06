/**
 * `deno task bench`: compares the server with reference programs on the same machine, as ratios. Needs
 * curl, md5sum and zip, and compares with nginx, dufs, rclone, picklescan and modelaudit if they are
 * installed. Small GETs are sent by wrk if it is installed. Each case starts its own server processes, as
 * users do. TEST_ENGINES=postgres measures searches over PostgreSQL.
 */

import { parseArgs } from "node:util";
import { ChildServer } from "../support/child_server.ts";
import { engineSettings } from "../support/engines.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { ARCHIVE_CASES } from "./archive_cases.ts";
import { DOOR_CASES } from "./door_cases.ts";
import { GATE_CASES } from "./gate_cases.ts";
import { HISTORY_CASES } from "./history_cases.ts";
import { HOST_CASES } from "./host_cases.ts";
import { HUB_CASES } from "./hub_cases.ts";
import { describeRun } from "./machine.ts";
import { type Case, comparisonLines, type Result } from "./measures.ts";
import { Peers } from "./peers.ts";
import { type Report, writeReport } from "./report.ts";
import { MIRROR_CASES } from "./mirror_cases.ts";
import { PAST_CASES } from "./past_cases.ts";
import { PEOPLE_CASES } from "./people_cases.ts";
import { S3_CASES } from "./s3_cases.ts";
import { SCANNER_CASES } from "./scanner_cases.ts";
import { SEARCH_CASES } from "./search_cases.ts";
import { START_CASES } from "./start_cases.ts";
import { SMALL_CASES, TRANSFER_CASES } from "./transfer_cases.ts";
import { TREE_CASES } from "./tree_cases.ts";
import { VERB_CASES } from "./verb_cases.ts";

const LIMITS = {
  STRONGROOM_MAX_UPLOAD_FILE_SIZE: "100000000000",
  STRONGROOM_MAX_UPLOAD_TOTAL_SIZE: "100000000000",
};

const CASES: readonly Case[] = [
  ...TRANSFER_CASES,
  ...SMALL_CASES,
  ...HUB_CASES,
  ...S3_CASES,
  ...DOOR_CASES,
  ...VERB_CASES,
  ...ARCHIVE_CASES,
  ...GATE_CASES,
  ...TREE_CASES,
  ...HISTORY_CASES,
  ...PAST_CASES,
  ...PEOPLE_CASES,
  ...SEARCH_CASES,
  ...MIRROR_CASES,
  ...START_CASES,
  ...HOST_CASES,
  ...SCANNER_CASES,
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
  const facts = await describeRun(filters);
  console.log(facts.join("\n"));
  const begun = performance.now();
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
  facts.push(`The run took ${Math.ceil((performance.now() - begun) / 60_000)} minutes`);
  if (path !== undefined) await finishReport(path, { facts, results });
}

async function runCase(measure: Case["measure"]): Promise<Result> {
  await using temporary = await TempDir.make();
  const directory = temporary.path;
  const dataDir = `${directory}/data`;
  const env = { ...LIMITS, ...await engineSettings(dataDir) };
  await using server = await ChildServer.start({ dataDir, env });
  const client = await server.as(1);
  await using peers = await Peers.start(directory);
  return await measure({ directory, server, client, peers: peers.all });
}

async function finishReport(path: string, report: Report): Promise<void> {
  const written = await writeReport(path, report);
  const { code, stderr } = await run(Deno.execPath(), ["fmt", "-q", ...written]);
  if (code !== 0) throw new Error(stderr);
  console.log(`\nWritten: ${written.join(", ")}`);
}

if (import.meta.main) await main(Deno.args);
