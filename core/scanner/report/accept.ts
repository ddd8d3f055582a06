import type { FileMetadata, Report } from "../../../schemas/report/report.ts";
import type { Waiver } from "../contract/waiver.ts";
import { Baseline, pathsOf, sha256Of } from "./baseline.ts";
import { ruleIdOf } from "./issues.ts";
import { locationOf } from "./location.ts";
import type { BaselineState, MarkedReport, Marks, WaiverMark, WaiverState } from "./marks.ts";

export interface AcceptOptions {
  /** An earlier report, whose findings are known. */
  readonly baseline?: Report | undefined;
  /** @default none */
  readonly waivers?: readonly Waiver[] | undefined;
  /** Whether a path of the report matches the pattern of a waiver. */
  readonly matchesPath: (pattern: string, path: string) => boolean;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Marks what an earlier report knows and what is waived (C 25). Waivers that have expired waive
 * nothing and are listed. Without a baseline and waivers, the report stays as it is.
 */
export function accept(report: Report, options: AcceptOptions): MarkedReport {
  const { baseline, waivers, now } = options;
  if (baseline === undefined && waivers === undefined) return report;
  const paths = pathsOf(report);
  const known = baseline && new Baseline(baseline);
  const valid = (waivers ?? []).filter((it) => now < expiryOf(it));
  const used = new Set<Waiver>();
  const waiverOf = (path: string, rule?: string) => {
    const file = { path, sha256: sha256Of(report, path), rule };
    const waiver = valid.find((it) => waives(it, file, options.matchesPath));
    if (waiver !== undefined) used.add(waiver);
    return waiver;
  };
  const issues = report.issues.map((issue) => {
    const { path } = locationOf(issue.location ?? "", paths);
    const state = known && stateOf(known.takeIssue(issue, report, paths));
    return { ...issue, ...marksOf(state, waiverOf(path, ruleIdOf(issue))) };
  });
  const metadata = Object.entries(report.file_metadata).map(
    ([path, it]): [string, FileMetadata] => {
      const state = known && stateOf(known.hasFile(report, path));
      return [path, { ...it, ...marksOf(state, waiverOf(path)) }];
    },
  );
  return {
    ...report,
    issues,
    file_metadata: Object.fromEntries(metadata),
    ...(waivers && { waivers: waivers.map((it) => withState(it, { valid, used })) }),
  };
}

/** When a waiver ceases to waive, in seconds since the Unix epoch. A day includes all of it, in UTC. */
export function expiryOf({ expires_at }: Pick<Waiver, "expires_at">): number {
  if (expires_at === undefined) return Infinity;
  const isDay = !expires_at.includes("T");
  return Date.parse(expires_at) / 1000 + (isDay ? 86_400 : 0);
}

interface Waivable {
  readonly path: string;
  readonly sha256: string | undefined;
  /** Undefined for a file as a whole. */
  readonly rule: string | undefined;
}

function waives(
  waiver: Waiver,
  { path, sha256, rule }: Waivable,
  matchesPath: AcceptOptions["matchesPath"],
): boolean {
  return (waiver.rule === undefined || waiver.rule === rule) &&
    (waiver.sha256 === undefined || waiver.sha256 === sha256) &&
    (waiver.path === undefined || matchesPath(waiver.path, path));
}

function stateOf(isKnown: boolean): BaselineState {
  return isKnown ? "unchanged" : "new";
}

function marksOf(state: BaselineState | undefined, waiver: Waiver | undefined): Marks {
  const mark: WaiverMark | undefined = waiver && {
    reason: waiver.reason,
    ...(waiver.expires_at !== undefined && { expires_at: waiver.expires_at }),
  };
  return { ...(state && { baseline_state: state }), ...(mark && { waiver: mark }) };
}

function withState(
  waiver: Waiver,
  { valid, used }: { readonly valid: readonly Waiver[]; readonly used: ReadonlySet<Waiver> },
): WaiverState {
  const state = !valid.includes(waiver) ? "expired" : used.has(waiver) ? "used" : "unused";
  return { ...waiver, state };
}
