/** What kept a scan from scanning all of its files. */
export interface ScanProblems {
  /** The number of files. */
  readonly files: number;
  /** The number of files that could not be scanned, and why the first could not. */
  readonly unscanned: number;
  readonly firstFailure: string;
  /** The number of files in which an error or a limit ended the scan early, and that of the first. */
  readonly cutShort: number;
  readonly firstError: string;
}

/**
 * The error of a scan, for its owner: null exactly if its report has `has_errors: false` (C 16), so
 * that a client that ignores the report does not take unread content for clean.
 */
export function describeProblems(problems: ScanProblems): string | null {
  const { files, unscanned, firstFailure, cutShort, firstError } = problems;
  const sentences = [
    ...unscanned === 0
      ? []
      : [`${unscanned} of ${files} files could not be scanned: ${firstFailure}`],
    ...cutShort === 0
      ? []
      : [`${cutShort} of ${files} files could not be scanned completely: ${firstError}`],
  ];
  return sentences.length === 0 ? null : sentences.join("; ");
}
