import type { CommitOptions } from "./writer_commits.ts";

export interface ResourceStoreOptions extends CommitOptions {
  /** How long a listing keeps its snapshot while its reader takes a batch. @default 1000 */
  readonly listIdleMs?: number;
  /** A change of more records is carried out in steps, between other writes. @default 10000 */
  readonly maxDirectRecords?: number;
  /** Where the records of large changes are kept. @default the directory of the file */
  readonly temporaryDirectory?: string;
  /** The space that uploads leave free. Part of it is kept for the log. @default 0 */
  readonly reserveBytes?: number;
  /** A database with a lower generation is refused. @default 0 */
  readonly minGeneration?: number;
  /** The version of the scan results that count. @default that of the scanners */
  readonly resultsVersion?: string | undefined;
}
