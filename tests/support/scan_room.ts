import type { HostCapacity } from "../../core/capacity/mod.ts";

/** The memory that a host has for scans. They wait until a test opens it. */
export class ScanRoom {
  isOpen = false;

  readonly host: Pick<HostCapacity, "stats"> = {
    stats: () => ({
      CPUCores: 2,
      LoadAvg1m: 0,
      MemTotalMB: 100_000,
      MemAvailableMB: this.isOpen ? 100_000 : 0,
      DiskFreeMB: 100_000,
    }),
  };
}
