import type { Verdict } from "../../../../schemas/verdict_names.ts";
import type { FileVerdict } from "../../../../schemas/verdicts.ts";
import { worse } from "../ui/verdict.ts";

/** A verdict as a row shows it: on a file, or the worst one in a directory, with the first file that has it. */
export interface ShownVerdict {
  readonly verdict: Verdict;
  /** Why, in a sentence. */
  readonly detail: string | undefined;
  /** The path of the file. */
  readonly path: string;
  /** How many files have it. */
  readonly files: number;
  /** In bytes: of the file, or of all files in the directory, as far as that is known. */
  readonly size?: number | undefined;
  /** Whether the gate refuses downloads of the file. */
  readonly isBlocked: boolean;
}

/** What a row says of the verdict on the file at a path, with the first reason. */
export function shownOf(
  { verdict, findings, problem, waiver, blocked, path, size }: FileVerdict & {
    readonly path: string;
    readonly size: number;
  },
): ShownVerdict {
  const [finding] = findings;
  const reason = finding === undefined
    ? problem
    : [finding.rule_code, finding.message].filter((it) => it !== null).join(": ");
  const waived = waiver === null ? null : `Waived: ${waiver.reason}`;
  const detail = [reason, waived].filter((it) => it !== null).join(" – ") || undefined;
  return { verdict, detail, path, files: 1, size, isBlocked: blocked };
}

/** The worst of the verdicts on files, with the size of them all. Undefined if there are none. */
export function worstOf(files: Iterable<ShownVerdict>): ShownVerdict | undefined {
  let worst: ShownVerdict | undefined;
  let count = 0;
  let size = 0;
  for (const file of files) {
    size += file.size ?? 0;
    if (worst?.verdict === file.verdict) {
      count++;
      if (file.path < worst.path) worst = file;
    } else if (worse(worst?.verdict, file.verdict) === file.verdict) {
      worst = file;
      count = 1;
    }
  }
  return worst && { ...worst, files: count, size };
}
