/** The modules that run as workers. The program starts no other. */
export const WORKERS = {
  reader: new URL("../database/reader_worker.ts", import.meta.url),
  writer: new URL("../database/writer_worker.ts", import.meta.url),
  content: new URL("../blobs/content_worker.ts", import.meta.url),
  report: new URL("../reports/worker.ts", import.meta.url),
  scan: new URL("../sandbox/worker.ts", import.meta.url),
} as const;
