import type { Verdict } from "../../schemas/verdict_names.ts";

/** The words of the clients for what is known of a file. */
const STATUS = {
  clean: "safe",
  suspicious: "suspicious",
  dangerous: "unsafe",
  inconclusive: "caution",
  unknown: "caution",
  failed: "error",
  pending: "queued",
  unscanned: "unscanned",
} as const satisfies Readonly<Record<Verdict, string>>;

/** What the clients show of the verdict on a file. */
export interface Security {
  /** Whether it is clean, or waived. */
  readonly safe: boolean;
  readonly status: typeof STATUS[Verdict];
}

/** The verdict on a file in the words of the clients (C 20). */
export function securityOf(verdict: Verdict, isWaived: boolean): Security {
  const status = isWaived ? "safe" : STATUS[verdict];
  return { safe: status === "safe", status };
}

/** Whether a scan of the file has not ended. */
export function isWaiting({ status }: Security): boolean {
  return status === "queued" || status === "unscanned";
}
