/** What a mirror has done since the start of the server. */
export class MirrorTotals {
  /** Requests for files. */
  requests = 0;
  /** Those for files that were there. */
  hits = 0;
  fetchedFiles = 0;
  fetchedBytes = 0;
  /** Fetches that the other hub has failed: it was away, or sent something else. */
  failures = 0;
  /** Files that did not have the digest that the other hub states. */
  mismatches = 0;
  /** Files that were refused after their fetch. */
  refusals = 0;
  /** When the other hub answered last, in milliseconds since the Unix epoch. */
  answeredAt: number | undefined;
}
