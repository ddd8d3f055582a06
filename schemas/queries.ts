/** Parameters of queries, as they are validated and described. */

import * as v from "valibot";

/** The bounds of an integer. */
export interface IntegerRange {
  readonly min: number;
  readonly max: number;
  /** The value if the parameter is not given. */
  readonly default?: number;
}

/** A page of a list, newest first: how many items, and below which id. */
export const PAGE = {
  limit: { min: 1, max: 1000, default: 100 },
  before: { min: 1, max: Number.MAX_SAFE_INTEGER },
} as const satisfies Readonly<Record<string, IntegerRange>>;

/** How long a request may wait for a scan, in seconds (C 15). */
export const SCAN_WAIT_S = { min: 0, max: 60, default: 0 } as const satisfies IntegerRange;

/** The parameter `format` of a report. */
export const ReportDownload = v.picklist(["json", "sarif"]);

/** The parameter `scope`: the caller's own records, or those of all users. */
export const Scope = v.picklist(["own", "all"]);
