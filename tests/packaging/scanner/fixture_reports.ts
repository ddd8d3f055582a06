/** The reports of all fixtures by the scanner of the server, and what of a report may differ elsewhere. */

import { OPTIONAL_SCANNER_IDS, type Report, report } from "../../../core/scanner/mod.ts";
import { memorySource, scan } from "../../../core/scanner/scan.ts";
import { ROOT } from "../../support/child_server.ts";
import { run } from "../../support/tools.ts";
import { FIXTURES } from "../../fixtures/fixtures.ts";

export const MODELS = `${ROOT}tests/fixtures/models`;

/** The times of a report are those of its scan. All else must be the same. */
const TIMES = ["start_time", "duration", "timestamp", "scan_timestamp"];

export function withoutTimes(report: unknown): unknown {
  const text = JSON.stringify(report, (key, value) => TIMES.includes(key) ? undefined : value);
  return JSON.parse(text);
}

export const FIXTURE_PATHS: readonly string[] = FIXTURES.map(({ path }) => path);

/** The report of a fixture by the scanner of the server. */
export async function serverReport(path: string): Promise<Report> {
  const source = memorySource(await Deno.readFile(`${MODELS}/${path}`));
  const result = scan(source, { name: path.slice(path.lastIndexOf("/") + 1) });
  const skip = OPTIONAL_SCANNER_IDS;
  return report({ files: [{ path, scan: result }], startTime: 0, duration: 0, skip });
}

/** Builds the package where the console has it from, or elsewhere. */
export async function buildScanner(output = `${ROOT}dist/scanner`): Promise<void> {
  const args = ["task", "-q", "package:scanner", `--output=${output}`];
  const { code, stderr } = await run(Deno.execPath(), args, { cwd: ROOT });
  if (code !== 0) throw new Error(stderr);
}

/** Builds the package where programs in the directory import it from. Returns its own directory. */
export async function buildPackage(directory: string): Promise<string> {
  const output = `${directory}/node_modules/strongroom-scanner`;
  await buildScanner(output);
  const manifest = { dependencies: { "strongroom-scanner": "*" } };
  await Deno.writeTextFile(`${directory}/package.json`, JSON.stringify(manifest));
  return output;
}
