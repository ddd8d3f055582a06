import type { Severity } from "../contract/severity.ts";

/**
 * Scores the danger of a file from 0 to 1 (SR 2.5), in bands that do not overlap:
 *
 * | Worst found | Score |
 * |---|---|
 * | n critical issues | 1 − 0.2 / n: 0.8 for one, approaching 1 |
 * | n warnings | 0.7 − 0.3 / n: from 0.4 |
 * | neither, but not fully read | 0.3 |
 * | n issues of severity info | 0.2 − 0.1 / n: from 0.1 |
 * | nothing | 0 |
 */
export function riskScore(severities: readonly Severity[], inconclusive: boolean): number {
  const count = (severity: Severity) => severities.filter((it) => it === severity).length;
  const [critical, warnings, infos] = [count("critical"), count("warning"), count("info")];
  if (critical > 0) return rounded(1 - 0.2 / critical);
  if (warnings > 0) return rounded(0.7 - 0.3 / warnings);
  if (inconclusive) return 0.3;
  return infos > 0 ? rounded(0.2 - 0.1 / infos) : 0;
}

function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}
