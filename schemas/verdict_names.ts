/** The verdicts by name. Threads of the database read them without the schemas. */

/** The verdicts on a file (C 18, C 31). */
export const VERDICTS = [
  "unscanned",
  "pending",
  "clean",
  "suspicious",
  "dangerous",
  "inconclusive",
  "unknown",
  "failed",
] as const;
export type Verdict = typeof VERDICTS[number];

/** The verdicts that the gate can be told to accept (C 18). */
export const ACCEPTABLE_VERDICTS = ["clean", "suspicious", "dangerous", "inconclusive"] as const;

/**
 * The verdicts that a scan ends with. Only these can be accepted: the gate fails closed (C 18). For
 * `unknown` it has a setting of its own (C 31).
 */
export const SCANNED_VERDICTS = [...ACCEPTABLE_VERDICTS, "unknown"] as const;
export type ScannedVerdict = typeof SCANNED_VERDICTS[number];
