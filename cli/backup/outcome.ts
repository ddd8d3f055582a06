import { formatBytes } from "../../schemas/units.ts";
import type { OnProgress } from "../../storage/upkeep/backup/copy_contents.ts";
import type { Findings } from "../../storage/upkeep/check/findings.ts";
import type { ContentTotals } from "../../storage/sqlite/snapshot.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { ProgressBar, progressScreen, StatusLine } from "../progress_bar.ts";

export interface TimedResult<T> {
  readonly result: T;
  readonly seconds: number;
}

/**
 * Runs `work`, and shows its progress on a terminal meanwhile.
 *
 * @param status What it does before it reports progress.
 */
export async function withProgress<T>(
  status: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<TimedResult<T>> {
  const started = performance.now();
  let bar: ProgressBar | undefined;
  using _status = new StatusLine(progressScreen(), status);
  const result = await work((done, total) => {
    bar ??= new ProgressBar(total, progressScreen());
    bar.show(done);
  }).finally(() => bar?.clear());
  return { result, seconds: Math.round(performance.now() - started) / 1000 };
}

/**
 * Prints what was found, and the summary as text or JSON. Returns the exit code: 1 if there are
 * findings.
 */
export function printOutcome(
  { json, findings, text, document }: {
    readonly json: boolean;
    readonly findings: Findings;
    readonly text: string;
    readonly document: Readonly<Record<string, unknown>>;
  },
): number {
  const { found, listed } = findings;
  for (const { message } of listed) printError(message);
  if (found > listed.length) printError(`and ${found - listed.length} more`);
  print(json ? JSON.stringify({ ...document, findings: listed }, undefined, 2) : text);
  return found === 0 ? 0 : 1;
}

/** Such as `3 files (1.5 MiB)`. */
export function totalsText({ files, bytes }: ContentTotals): string {
  const unit = files === 1 ? "file" : "files";
  return `${files.toLocaleString("en")} ${unit} (${formatBytes(bytes)})`;
}
