import type { DatabaseOptions } from "./database.ts";
import type { SharedScanQueueOptions } from "./shared_scan_queue.ts";

export interface PostgresStoreOptions extends DatabaseOptions {
  /** How servers share their scans. */
  readonly sharedQueue?: SharedScanQueueOptions;
  /** How long a listing keeps its snapshot while its reader takes a batch. @default 1000 */
  readonly listIdleMs?: number;
  /** See {@link Revocations}. @default 1000 */
  readonly revocationsMs?: number;
  /** Where the records of large changes are kept. */
  readonly temporaryDirectory: string;
  /** A change of more records than this is large. @default 10000 */
  readonly maxDirectRecords?: number;
  /** The version of the scan results that count. @default that of the scanners */
  readonly resultsVersion?: string | undefined;
  /**
   * Called when the outcome of a commit is unknown, whose request gets no reply, or others have taken over
   * from this server. The process must end.
   * @default throws the error where nothing catches it
   */
  readonly onFatal?: (error: Error) => void;
}
