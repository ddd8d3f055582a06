import * as v from "valibot";
import { accept, exitCode, type Report } from "../../core/scanner/mod.ts";
import { GIB } from "../../schemas/units.ts";
import { Report as ReportSchema } from "../../schemas/report/report.ts";
import { ScanEntry, ScanList } from "../../schemas/scans.ts";
import { ProgressBar, progressScreen, StatusLine } from "../progress_bar.ts";
import { Connection } from "../remote/connection.ts";
import { bodyOf } from "../remote/reply.ts";
import { remotePath } from "../remote/verb.ts";
import { counted } from "../terminal_text.ts";
import { acceptedFindings } from "./accepted_findings.ts";
import type { RemoteSelection, ScanRequest } from "./arguments.ts";
import { writeReport } from "./write_report.ts";

const POLL_INTERVAL_MS = 500;
/** As a shell says that a signal ended a command. */
const CANCELED = 130;
/** A larger report is refused. That of a server has 128 MiB at most. */
const MAX_REPORT_BYTES = GIB / 4;

/**
 * `strongroom scan --remote`: has a server scan paths, and prints the report (C 25). Exit codes are those
 * of a scan of local files. A stop signal cancels the scan.
 */
export async function scanRemote(
  request: ScanRequest,
  { scanners, weights, ...options }: RemoteSelection,
): Promise<number> {
  const paths = request.paths.map(remotePath);
  const accepting = await acceptedFindings(request);
  const connection = await Connection.open(options);
  const value = { paths, scanners, weights };
  // A scan that is being started when the signal comes is canceled, too.
  const stop = stopSignal();
  const { id } = await connection.json(ScanEntry, "POST", "/scans/", { value });
  const scan = await new RemoteScan(connection, id).ended(stop);
  if (stop.aborted) return CANCELED;
  if (scan.status === "cancelled") throw new Error(`Scan ${id} was canceled`);
  const made = await readReport(connection, scan);
  const marked = accept(made, { ...accepting, now: Date.now() / 1000 });
  await writeReport(marked, request, {});
  return exitCode(marked, request);
}

/** A scan that a server does. */
class RemoteScan {
  readonly #screen = progressScreen({ endsOnStop: false });
  #bar: ProgressBar | undefined;

  constructor(readonly connection: Connection, readonly id: number) {}

  /** Waits for the end of the scan, and shows how far it is. Cancels it when the signal is aborted. */
  async ended(stop: AbortSignal): Promise<ScanEntry> {
    using status = new StatusLine(this.#screen, "Waiting for the server");
    try {
      for (;;) {
        if (stop.aborted) return await this.#look("DELETE");
        const scan = await this.#look("GET");
        if (scan.finished_at !== null) return scan;
        await this.#show(scan, status);
        await pause(stop);
      }
    } finally {
      this.#bar?.clear();
    }
  }

  #look(method: "GET" | "DELETE"): Promise<ScanEntry> {
    return this.connection.json(ScanEntry, method, `/scans/${this.id}`);
  }

  async #show(scan: ScanEntry, status: StatusLine): Promise<void> {
    if (this.#screen === undefined) return;
    if (scan.status === "queued") {
      status.show(`Queued, after ${counted(await this.#countBefore(), "scan")}`);
      return;
    }
    const { files_total: files, bytes_total: bytes } = scan;
    this.#bar ??= new ProgressBar({ files, bytes }, this.#screen);
    this.#bar.show({ files: scan.files_scanned, bytes: scan.bytes_scanned });
  }

  /** How many scans of the user run or wait before this one. */
  async #countBefore(): Promise<number> {
    const query = { limit: "1000", before: String(this.id) };
    const { items } = await this.connection.json(ScanList, "GET", "/scans/", { query });
    return items.filter((it) => it.finished_at === null).length;
  }
}

/** Waits, or until the signal is aborted. */
async function pause(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, POLL_INTERVAL_MS);
  const abort = () => resolve();
  signal.addEventListener("abort", abort);
  await promise;
  signal.removeEventListener("abort", abort);
  clearTimeout(timer);
}

/** Aborts at a stop signal. Another one ends the process. */
function stopSignal(): AbortSignal {
  const abort = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    const stop = () => {
      Deno.removeSignalListener(name, stop);
      abort.abort();
    };
    Deno.addSignalListener(name, stop);
  }
  return abort.signal;
}

/** @throws {Error} when the scan has no report. */
async function readReport(connection: Connection, { id, error }: ScanEntry): Promise<Report> {
  const response = await connection.request("GET", `/scans/${id}/report`).catch((cause) => {
    throw error === null ? cause : new Error(`Scan ${id} failed: ${error}`, { cause });
  });
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(response)) {
    bytes += chunk.length;
    if (bytes > MAX_REPORT_BYTES) throw new Error("The report of the server is too large");
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  const parsed = v.safeParse(ReportSchema, JSON.parse(parts.join("") + decoder.decode()));
  if (parsed.success) return parsed.output;
  throw new Error("The server sent a report that is not understood");
}
