/** A reading of the host (HC 2). MB are 2^20 bytes. */
export interface SystemStats {
  readonly CPUCores: number;
  /** The load of the last minute, in runnable threads. */
  readonly LoadAvg1m: number;
  readonly MemTotalMB: number;
  readonly MemAvailableMB: number;
  readonly DiskFreeMB: number;
}
