import { programModule } from "./program_modules.ts";

/**
 * All modules that run as workers. Building the executable and the package, and the tests of the
 * architecture read this list, so no other place names a worker module.
 * See docs/design/threads.md.
 */
export const WORKERS = {
  reader: programModule("storage/sqlite/reader_worker"),
  writer: programModule("storage/sqlite/writer_worker"),
  content: programModule("storage/content/content_worker"),
  report: programModule("storage/reports/report_worker"),
  scan: programModule("storage/scanners/sandbox/scan_worker"),
} as const;
