import type { EntryCheck } from "../archive/entry_path_checks.ts";

/** The checks made on every ZIP archive. */
export type ZipCheck =
  | EntryCheck
  | "Archive Directory"
  | "Archive Entry Count"
  | "Archive Entry Header"
  | "Archive Entry Content"
  | "Archive Entry Checksum"
  | "Archive Compression Ratio"
  | "Archive Overlapping Entries"
  | "Archive Unlisted Entries"
  | "Archive Foreign Data";

/** The message of each check that passes. */
export const ZIP_PASSED: Readonly<Record<ZipCheck, string>> = {
  "Archive Directory": "The archive has exactly one central directory",
  "Archive Entry Count": "The entry count is within the limit and matches the directory",
  "Archive Entry Path": "All entry names stay inside the archive",
  "Archive Link": "No link points outside the archive",
  "Archive Duplicate Entry": "All entry names are unique",
  "Archive Entry Header": "The headers of all entries agree",
  "Archive Entry Content": "All entries were read completely",
  "Archive Entry Checksum": "The checksums of all entries match",
  "Archive Compression Ratio": "No entry has an excessive compression ratio",
  "Archive Overlapping Entries": "No entries overlap",
  "Archive Unlisted Entries": "The directory lists all entries",
  "Archive Foreign Data": "The archive holds no data outside its entries",
};
