import config from "../../deno.json" with { type: "json" };
import { type MarkedReport, reportAs, reportSummary } from "../../core/scanner/mod.ts";
import { replaceFile } from "../../storage/disk/local_output.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { hasControls } from "../progress_bar.ts";
import type { ScanRequest } from "./arguments.ts";

const DEFAULT_COLUMNS = 100;

/** What is known of scanned files of this machine. */
export type ScannedFiles = Pick<Parameters<typeof reportAs>[2], "base" | "lineOf">;

/** Writes the report to its file, with a line about it on stderr, or to stdout. */
export async function writeReport(
  marked: MarkedReport,
  { format, output, failOn, failOnUnknown }: ScanRequest,
  files: ScannedFiles,
): Promise<void> {
  const isShown = output === undefined && Deno.stdout.isTerminal();
  const color = isShown && !Deno.noColor && hasControls();
  const width = isShown ? Deno.consoleSize().columns || DEFAULT_COLUMNS : DEFAULT_COLUMNS;
  const text = reportAs(format, marked, {
    color,
    width,
    failOn,
    failOnUnknown,
    version: config.version,
    ...files,
  });
  // The formats have escaped what comes from files, so that what is left controls the colors.
  if (output === undefined) color ? console.log(text) : print(text);
  else {
    await replaceFile(output, `${text}\n`);
    printError(`${reportSummary(marked)}; report in ${output}`);
  }
}
