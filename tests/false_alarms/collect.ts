/**
 * `deno task collect [--directory=DIR]`: downloads the packages of `packages.ts`, scans the files in
 * them that look like models, and prints the alarms by rule, and the files that were not read to their
 * end. Fails at alarms that `packages.ts` does not explain, and when more than 1% of the files have alarms,
 * or were not read. With `--directory`, the files stay there, and are not downloaded again. Needs python3
 * with pip, npm and tar.
 */

import { parseArgs } from "node:util";
import * as v from "valibot";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { collectFiles } from "./download.ts";
import { EXPLAINED_ALARMS } from "./packages.ts";

const MIN_FILES = 1000;
/** Of files with alarms, and of files that were not read to their end. */
const MAX_SHARE = 0.01;

const REPORT = v.object({
  files_scanned: v.number(),
  issues: v.array(v.object({
    severity: v.string(),
    message: v.string(),
    location: v.optional(v.string(), ""),
    rule_code: v.optional(v.string(), "no rule"),
  })),
  file_metadata: v.record(
    v.string(),
    v.object({ scan_outcome_reasons: v.optional(v.array(v.string()), []) }),
  ),
});
type Report = v.InferOutput<typeof REPORT>;
type Alarm = Report["issues"][number];

const { values } = parseArgs({ options: { directory: { type: "string" } } });
await using temporary = await TempDir.make();
const directory = values.directory ?? temporary.path;
if (await isEmpty(directory)) await collectFiles(directory);
const report = await scan(directory);
Deno.exitCode = judge(report) ? 0 : 1;

async function isEmpty(path: string): Promise<boolean> {
  await Deno.mkdir(path, { recursive: true });
  for await (const _ of Deno.readDir(path)) return false;
  return true;
}

async function scan(path: string): Promise<Report> {
  const args = ["run", "-A", "--no-check", "main.ts", "scan", "--format", "json", path];
  const { stdout, stderr } = await run(Deno.execPath(), args, { cwd: ROOT });
  if (stdout === "") throw new Error(stderr);
  return v.parse(REPORT, JSON.parse(stdout));
}

/** Prints the alarms, and returns whether they are few and explained. */
function judge({ files_scanned: count, issues, file_metadata }: Report): boolean {
  const alarms = issues.filter(({ severity }) => ["warning", "critical"].includes(severity));
  const flagged = new Set(alarms.map(pathOf));
  printByRule(alarms);
  const incomplete = Object.entries(file_metadata)
    .filter(([, { scan_outcome_reasons: reasons }]) => reasons.length > 0);
  for (const [path, { scan_outcome_reasons: reasons }] of incomplete) {
    console.log(`not read to its end: ${path}: ${reasons.join(", ")}`);
  }
  const critical = alarms.filter(({ severity }) => severity === "critical").length;
  const unexplained = alarms.filter((alarm) => explanationOf(alarm) === undefined).length;
  console.log(
    `${count} files: ${flagged.size} flagged, ${incomplete.length} inconclusive; ` +
      `${critical} critical and ${unexplained} unexplained alarms`,
  );
  return count >= MIN_FILES && unexplained === 0 &&
    Math.max(flagged.size, incomplete.length) <= count * MAX_SHARE;
}

function printByRule(alarms: readonly Alarm[]): void {
  for (const [rule, ofRule] of Object.entries(Object.groupBy(alarms, (it) => it.rule_code))) {
    console.log(`${rule}: ${ofRule?.length ?? 0}`);
    for (const alarm of ofRule ?? []) {
      console.log(`  ${alarm.severity} ${alarm.location}: ${alarm.message}`);
      console.log(`    ${explanationOf(alarm) ?? "not explained"}`);
    }
  }
}

/** The path of the file, without the member and the position in it. */
function pathOf({ location }: Alarm): string {
  return location.replace(/[:(].*$/s, "").trimEnd();
}

function explanationOf(alarm: Alarm): string | undefined {
  return EXPLAINED_ALARMS.find(({ path, rules }) =>
    pathOf(alarm).endsWith(path) && rules.split(" ").includes(alarm.rule_code)
  )?.why;
}
