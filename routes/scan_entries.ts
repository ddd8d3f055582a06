import type { Scan } from "../core/scans/ports.ts";
import type { ScanEntry } from "../schemas/scans.ts";

/** A scan as callers see it (C 15). */
export function scanOf(scan: Scan): ScanEntry {
  return {
    id: scan.id,
    user_id: scan.userId,
    status: scan.status,
    paths: [...scan.paths],
    created_at: isoTime(scan.createdAt),
    started_at: scan.startedAt === null ? null : isoTime(scan.startedAt),
    finished_at: scan.finishedAt === null ? null : isoTime(scan.finishedAt),
    files_total: scan.filesTotal,
    files_scanned: scan.filesScanned,
    bytes_total: scan.bytesTotal,
    bytes_scanned: scan.bytesScanned,
    issues: { ...scan.issues },
    error: scan.error,
  };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
