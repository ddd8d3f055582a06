/** The reports of all fixtures by the scanner of the server, and what of a report may differ elsewhere. */

import { OPTIONAL_SCANNER_IDS, report } from "../../../core/scanner/mod.ts";
import { memorySource, scan } from "../../../core/scanner/scan.ts";
import { IS_BUILT, ROOT } from "../../support/program.ts";
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

const reports = new Map<string, Promise<unknown>>();

/** The report of a fixture by the scanner of the server, but for times. It is made once for all tests. */
export function serverReport(path: string): Promise<unknown> {
  const made = reports.get(path) ?? makeReport(path);
  reports.set(path, made);
  return made;
}

async function makeReport(path: string): Promise<unknown> {
  const source = memorySource(await Deno.readFile(`${MODELS}/${path}`));
  const result = scan(source, { name: path.slice(path.lastIndexOf("/") + 1) });
  const skip = OPTIONAL_SCANNER_IDS;
  return withoutTimes(
    report({ files: [{ path, scan: result }], startTime: 0, duration: 0, skip }),
  );
}

let building: Promise<void> | undefined;

/** Builds the package where the console has it from, unless tests/run.ts has done so. Returns the directory. */
export async function buildScanner(): Promise<string> {
  if (!IS_BUILT) await (building ??= build());
  return `${ROOT}dist/scanner`;
}

async function build(): Promise<void> {
  const { code, stderr } = await run(Deno.execPath(), ["task", "-q", "package:scanner"], {
    cwd: ROOT,
  });
  if (code !== 0) throw new Error(stderr);
}

/** Puts the package where programs in the directory import it from. Returns its own directory. */
export async function putPackage(directory: string): Promise<string> {
  const output = `${directory}/node_modules/strongroom-scanner`;
  const built = await buildScanner();
  await Deno.mkdir(output, { recursive: true });
  for await (const { name } of Deno.readDir(built)) {
    await Deno.copyFile(`${built}/${name}`, `${output}/${name}`);
  }
  const manifest = { dependencies: { "strongroom-scanner": "*" } };
  await Deno.writeTextFile(`${directory}/package.json`, JSON.stringify(manifest));
  return output;
}
