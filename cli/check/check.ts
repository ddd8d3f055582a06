import { check, type CheckOptions, type CheckResult } from "../../storage/upkeep/check/check.ts";
import { databaseOf } from "../../schemas/database_url.ts";
import type { Settings } from "../../schemas/settings.ts";
import { formatBytes } from "../../schemas/units.ts";
import { copyOnWriteWarning } from "../copy_on_write.ts";
import { parseOptions } from "../arguments.ts";
import { loadSettings, logOf } from "../environment.ts";
import { checkDataDirectory } from "../existing_directory.ts";
import { openAccess } from "../open_access.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { ProgressBar, progressScreen, StatusLine } from "../progress_bar.ts";
import { contentSettings } from "../serve/content_settings.ts";

/**
 * `strongroom check`: checks a strongroom with the engines that it has (C 22, C 23). Exit code 0: sound; 1: repaired; 2: damage is
 * left; main.ts maps failures to 2.
 */
export async function run(args: string[]): Promise<number> {
  const { "read-data": readData, repair, json } = parseOptions(args, {
    "read-data": { type: "boolean", default: false },
    repair: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  });
  const settings = loadSettings();
  const { dataDir, databaseUrl, contentUrl } = settings;
  // With both engines, nothing that is checked is in the data directory.
  if (databaseUrl === undefined || contentUrl === undefined) {
    await checkDataDirectory(dataDir);
    for (const warning of [await openAccess(dataDir), await copyOnWriteWarning(dataDir)]) {
      if (warning !== undefined) printError(warning);
    }
  }
  const started = performance.now();
  const result = await checkShowing(settings, { readData, repair });
  const seconds = Math.round(performance.now() - started) / 1000;
  print(json ? jsonText(result, { readData, repair, seconds }) : plainText(result));
  return EXIT_CODES[verdictOf(result)];
}

/** Checks, and shows on a terminal how far it is. */
async function checkShowing(
  settings: Settings,
  options: Pick<CheckOptions, "readData" | "repair">,
): Promise<CheckResult> {
  const screen = progressScreen();
  using status = new StatusLine(screen, "Checking the database");
  let bar: ProgressBar | undefined;
  const { dataDir } = settings;
  return await check(dataDir, {
    ...options,
    database: databaseOf(settings),
    content: contentSettings(settings, logOf(settings)),
    onProgress(done, total) {
      if (options.readData) {
        bar ??= new ProgressBar(total, screen);
        bar.show(done);
      } else status.show(`Checking contents: ${count(done.files)} of ${count(total.files)}`);
    },
  }).finally(() => bar?.clear());
}

function count(files: number): string {
  return files.toLocaleString("en");
}

const EXIT_CODES = { sound: 0, repaired: 1, damaged: 2 } as const;

function verdictOf({ findings: { found, repaired } }: CheckResult): keyof typeof EXIT_CODES {
  if (found === 0) return "sound";
  return repaired === found ? "repaired" : "damaged";
}

interface JsonOptions {
  readonly readData: boolean;
  readonly repair: boolean;
  readonly seconds: number;
}

/** The document that docs/guides/checking.md describes. */
function jsonText(result: CheckResult, { readData, repair, seconds }: JsonOptions): string {
  const { findings, served, records, contents, pending, quarantined, strayParts, leaving } = result;
  return JSON.stringify(
    {
      verdict: verdictOf(result),
      served,
      read_data: readData,
      repair,
      records,
      contents: contents.files,
      bytes: contents.bytes,
      pending,
      quarantined,
      stray_parts: strayParts,
      leaving,
      counts: Object.fromEntries(findings.counts),
      findings: findings.listed,
      seconds,
    },
    undefined,
    2,
  );
}

function plainText(result: CheckResult): string {
  const { findings, records, contents, pending, quarantined, strayParts, leaving } = result;
  const hidden = findings.found - findings.listed.length;
  return [
    ...findings.listed.map(({ message, repaired }) => `${repaired ? "Repaired: " : ""}${message}`),
    ...hidden > 0 ? [`and ${hidden} more findings`] : [],
    ...pending > 0
      ? [`The next start will move ${amount(pending, "content")} without a record away`]
      : [],
    ...strayParts > 0
      ? [
        `The next start will remove ${
          amount(strayParts, "part")
        } of uploads that nothing waits for`,
      ]
      : [],
    ...leaving > 0 ? [`Servers have yet to delete ${amount(leaving, "object")}`] : [],
    ...quarantined > 0 ? [`In quarantine: ${amount(quarantined, "content")}`] : [],
    `Checked ${amount(records, "record")} and ${amount(contents.files, "content")} ` +
    `(${formatBytes(contents.bytes)}): ${summary(result)}`,
  ].join("\n");
}

function summary(result: CheckResult): string {
  const { findings: { found, repaired } } = result;
  switch (verdictOf(result)) {
    case "sound":
      return "sound";
    case "repaired":
      return `${amount(found, "fault")} repaired`;
    case "damaged":
      return `${amount(found, "fault")}, ${repaired} of them repaired`;
  }
}

function amount(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : `${noun}s`}`;
}
