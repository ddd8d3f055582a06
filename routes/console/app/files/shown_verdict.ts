import type { Verdict } from "../../../../schemas/verdict_names.ts";
import type { VerdictEntry } from "../../../../schemas/verdicts.ts";
import { worse } from "../ui/verdict.ts";

/** A verdict as a row shows it. */
export interface ShownVerdict {
  readonly verdict: Verdict;
  /** Why, in a sentence. */
  readonly detail: string | undefined;
  /** The path of the file that has it: of several, the first. */
  readonly path: string;
  /** How many files have it. */
  readonly files: number;
}

/** The worse of a verdict that is shown and another one, with its first reason. */
export function joined(
  shown: ShownVerdict | undefined,
  { verdict, findings, problem, waiver, path }: VerdictEntry,
): ShownVerdict {
  if (shown?.verdict === verdict) return { ...shown, files: shown.files + 1 };
  if (shown !== undefined && worse(shown.verdict, verdict) === shown.verdict) return shown;
  const [finding] = findings;
  const reason = finding === undefined
    ? problem
    : [finding.rule_code, finding.message].filter((it) => it !== null).join(": ");
  const waived = waiver === null ? null : `Waived: ${waiver.reason}`;
  const detail = [reason, waived].filter((it) => it !== null).join(" – ") || undefined;
  return { verdict, detail, path, files: 1 };
}
