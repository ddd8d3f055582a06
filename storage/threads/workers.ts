/**
 * All modules that run as workers. Building the executable and the tests of the architecture read
 * this list, so no other place names a worker module.
 */
export const WORKERS = {
  reader: new URL("../database/reader_worker.ts", import.meta.url),
  writer: new URL("../database/writer_worker.ts", import.meta.url),
  content: new URL("../blobs/content_worker.ts", import.meta.url),
  report: new URL("../reports/report_worker.ts", import.meta.url),
  scan: new URL("../sandbox/scan_worker.ts", import.meta.url),
} as const;
