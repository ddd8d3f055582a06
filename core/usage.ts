/** What trees hold. */
export interface Usage {
  /** Files and directories. */
  readonly records: number;
  readonly files: number;
  /** The sizes of all files. Content that several files share counts for each of them. */
  readonly bytes: number;
  /** The sizes of the files of unfinished uploads that can be resumed, and of what waits for a commit. */
  readonly uploading: number;
  /** The sizes of the files that were deleted or replaced, and that history keeps, and its rows. */
  readonly historyBytes: number;
  /** The sizes of the files that tags name, and their rows. */
  readonly taggedBytes: number;
}

/** What counts against a quota, in bytes: files, those of tags, and those whose upload is unfinished (C 21, C 26). */
export function takenBy(
  { bytes, uploading, taggedBytes }: Pick<Usage, "bytes" | "uploading" | "taggedBytes">,
): number {
  return bytes + uploading + taggedBytes;
}
