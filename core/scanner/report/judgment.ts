import type { FileResult } from "../contract/file_result.ts";
import { truncate } from "../contract/excerpt.ts";
import { isUnknownFormat } from "../contract/known_format.ts";
import type { RuleCode } from "../contract/rules.ts";
import { compareSeverity, type Severity, severityOf } from "../contract/severity.ts";
import type { ScannedVerdict } from "../../../schemas/verdict_names.ts";

const MAX_FINDINGS = 3;
/** Of a message, a location and a reason. */
const MAX_MESSAGE_CHARS = 300;

/** A finding that stands for others in a verdict. */
export interface Finding {
  readonly ruleCode: RuleCode | null;
  readonly severity: Severity;
  readonly message: string;
  /** Where in the file, such as `:member (pos 3)`, if that is known. */
  readonly location?: string;
  /** Why it is a concern, if there is more to say than its rule does. */
  readonly why?: string;
}

/** What the result of a scan says about its file in a word, with the worst findings (C 18). */
export interface Judgment {
  readonly verdict: ScannedVerdict;
  /** At most three, worst first. */
  readonly findings: readonly Finding[];
}

/** Judges a file by the result of its scan (C 18, C 31). */
export function judge(result: FileResult): Judgment {
  const findings = findingsOf(result);
  return { verdict: verdictOf(result, findings[0]?.severity), findings };
}

function verdictOf(
  { checks, inconclusive, operationalError }: FileResult,
  worst: Severity | undefined,
): ScannedVerdict {
  if (worst === "critical") return "dangerous";
  if (worst === "warning") return "suspicious";
  if (inconclusive.length > 0 || operationalError !== undefined) return "inconclusive";
  return checks.some(isUnknownFormat) ? "unknown" : "clean";
}

/** The worst failed checks, one of each rule and message. Those of severity debug do not count. */
function findingsOf({ checks }: FileResult): Finding[] {
  const found = new Map<string, Finding>();
  for (const check of checks) {
    const severity = severityOf(check);
    if (check.status !== "failed" || severity === "debug") continue;
    const { ruleCode = null, location, why } = check;
    const message = truncate(check.message, MAX_MESSAGE_CHARS);
    const key = JSON.stringify([ruleCode, severity, message]);
    if (found.has(key)) continue;
    found.set(key, {
      ...{ ruleCode, severity, message },
      ...(location !== "" && { location: truncate(location, MAX_MESSAGE_CHARS) }),
      ...(why !== undefined && { why: truncate(why, MAX_MESSAGE_CHARS) }),
    });
  }
  return [...found.values()]
    .sort((a, b) => compareSeverity(a.severity, b.severity))
    .slice(0, MAX_FINDINGS);
}
