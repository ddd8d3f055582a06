import { type HostCapacity, scannerLimits } from "../../core/capacity/mod.ts";
import type { FileResult } from "../../core/scanner/mod.ts";
import type { ScanContentOptions } from "../../core/scans/ports.ts";
import type { Settings } from "../../schemas/settings.ts";
import { scanInSandbox } from "../../storage/scanners/sandbox/sandbox.ts";
import { type FileToScan, ScannerPool } from "../../storage/scanners/scanner_pool.ts";
import { scanBounds } from "../../core/scans/bounds.ts";
import { LocalProcesses } from "../supervisor/local_processes.ts";
import { assertMayRunPrograms } from "../supervisor/run_permission.ts";

/** Scans files in isolation from this process. */
export interface Isolation extends AsyncDisposable {
  /**
   * @throws {ScanFailure} when the file cannot be scanned completely.
   * @throws the reason of the signal when it aborts.
   */
  scan(
    file: FileToScan,
    options: ScanContentOptions,
  ): Promise<FileResult>;
}

/**
 * The isolation that the settings ask for.
 *
 * @throws {UsageError} when this process may not start processes.
 */
export function isolationOf(
  settings: Settings,
  host: HostCapacity,
): Isolation {
  const bounds = scanBounds(settings);
  if (settings.scanIsolation === "thread") {
    return {
      scan: (file, options) => scanInSandbox({ ...file, ...options, ...bounds }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  assertMayRunPrograms("scan");
  const processes = new LocalProcesses("all");
  const pool = new ScannerPool({ processes, ...bounds, ...scannerLimits(host) });
  return {
    scan: (file, options) => pool.scan(file, options),
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]();
      await processes[Symbol.asyncDispose]();
    },
  };
}
