import type { FileMetadata, Issue, Report } from "../../../schemas/report/report.ts";
import type { Waiver } from "../contract/waiver.ts";

/** Whether a finding is in the baseline, in the words of SARIF. */
export type BaselineState = "new" | "unchanged";

/** The reason of a waiver, as it is shown with what it waives. */
export type WaiverMark = Pick<Waiver, "reason" | "expires_at">;

/** What a pipeline knows of an issue or a file. Without a baseline and waivers it has no marks. */
export interface Marks {
  /** Only with a baseline. */
  readonly baseline_state?: BaselineState;
  readonly waiver?: WaiverMark;
}

export type MarkedIssue = Issue & Marks;

export type WaiverState = Waiver & { readonly state: "used" | "unused" | "expired" };

/** A report with what a pipeline adds to it: properties that SR 1 allows. */
export type MarkedReport = Omit<Report, "issues"> & {
  readonly issues: readonly MarkedIssue[];
  /** The files and directories below the scanned ones that were left out. Absent if none were. */
  readonly excluded?: readonly string[];
  /** Absent without waivers. */
  readonly waivers?: readonly WaiverState[];
};

/** A waiver in a few words: what it waives, why and until when. */
export function describeWaiver({ rule, path, sha256, reason, expires_at }: Waiver): string {
  const what = [rule, path, sha256].filter((it) => it !== undefined).join(" ");
  return `${what}: ${reason}${expires_at === undefined ? "" : ` (until ${expires_at})`}`;
}

/** Whether an issue does not count, since it is waived or in the baseline. */
export function isAccepted({ baseline_state, waiver }: Marks): boolean {
  return baseline_state === "unchanged" || waiver !== undefined;
}

/** Whether it does not count that a file was not fully read, or is in an unknown format. */
export function isAcceptedFile(metadata: FileMetadata | undefined): boolean {
  return metadata?.["baseline_state"] === "unchanged" || metadata?.["waiver"] !== undefined;
}
