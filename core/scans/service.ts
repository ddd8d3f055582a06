import { type Caller, ownerOf, scopeOf } from "../caller.ts";
import type { Chunk } from "../content.ts";
import { AppError } from "../errors.ts";
import { nameOf } from "../paths.ts";
import type { FileCollection, ResourceStore } from "../ports.ts";
import { refuseSharedPath, resolveTargets, sharedPath } from "../tree/targets.ts";
import type { ScanJobs } from "./jobs.ts";
import type { Scan, ScanFile, ScanPage, ScanStore } from "./ports.ts";
import { type ScannerSelection, skippedScanners } from "./selection.ts";

/** What the operations below work with. */
export interface ScanService {
  readonly records: ResourceStore;
  readonly store: ScanStore;
  readonly jobs: ScanJobs;
  /** The most scans that may be queued (C 15). */
  readonly maxQueued: number;
  /** The version of this program, which logs in SARIF state. */
  readonly version: string;
}

/** The formats of a report that is downloaded. */
export type DownloadedFormat = "json" | "sarif";

/** A request to scan some records. */
export interface StartScanRequest extends ScannerSelection {
  readonly caller: Caller;
  readonly paths: readonly string[];
  readonly ids: readonly number[];
  /** Ends the wait for the scan to finish. */
  readonly until: AbortSignal;
}

/**
 * Queues a scan of the files at and below some records, with their present content (C 15). Waits for
 * the scan to finish until the signal aborts, and returns its state.
 * See docs/design/scans.md.
 *
 * @throws {AppError} `ErrScansQueueFull` when the queue is full, `ErrResourcesInvalidRequest` when
 *   no path or id is given or a scanner is unknown.
 * @throws {AppError} as {@link resolveTargets} does.
 */
export async function startScan(scans: ScanService, request: StartScanRequest): Promise<Scan> {
  const { id, paths, finished } = await queueScan(scans, request);
  const scan = await finished ?? await findScan(scans, { caller: request.caller, id });
  return { ...scan, paths };
}

async function queueScan(
  scans: ScanService,
  request: StartScanRequest,
): Promise<{ id: number; paths: readonly string[]; finished: Promise<Scan | undefined> }> {
  const { caller, until } = request;
  const skip = skippedScanners(request);
  const { byPath, byId } = await resolveTargets(scans, request, "scan");
  const targets = [...byPath, ...byId];
  if (targets.length === 0) {
    throw new AppError("ErrResourcesInvalidRequest", "Cannot scan: a path or id is required");
  }
  refuseSharedPath(targets, "scan");
  using _slot = await scans.jobs.reserveSlot(caller.userId, scans.maxQueued);
  const userId = ownerOf(caller);
  await using files = await scans.records.collectFiles({ userId, byPath, byId });
  if (files.sharedPath !== undefined) throw sharedPath(files.sharedPath, "scan");
  const paths = [...new Set(targets.map(({ path }) => path))];
  const scan = await scans.store.create(
    { userId, requestedBy: caller.userId, paths, skip, createdAt: Date.now() },
    pagesOf(files),
  );
  const finished = scans.jobs.finished(scan.id, until);
  scans.jobs.enqueue(scan);
  return { id: scan.id, paths, finished };
}

/**
 * Finds a scan of the caller's tree, or of any user with `resources.admin`, with all its paths.
 *
 * @throws {AppError} `ErrScansNotFound` when the caller has no such scan.
 */
export async function findScan(
  scans: ScanService,
  request: { caller: Caller; id: number },
): Promise<Scan> {
  const scan = await findBriefly(scans, request);
  return { ...scan, paths: await scans.store.paths(scan) };
}

/** Like {@link findScan}, but with the first paths only. */
async function findBriefly(
  scans: ScanService,
  { caller, id }: { caller: Caller; id: number },
): Promise<Scan> {
  const scan = await scans.store.find(id);
  const { userId, everyone } = scopeOf(caller);
  const visible = scan?.userId === userId || everyone;
  if (scan !== undefined && visible) return scans.jobs.current(scan);
  throw new AppError("ErrScansNotFound", `Scan ${id} not found`);
}

/** Lists the scans of the caller's tree, newest first, with the first paths of each (C 15). */
export async function listScans(
  scans: ScanService,
  { caller, ...page }: ScanPage & { caller: Caller },
): Promise<Scan[]> {
  const stored = await scans.store.list(ownerOf(caller), page);
  return stored.map((scan) => scans.jobs.current(scan));
}

/**
 * The report of a scan, as a document or a SARIF log, in chunks. A failed scan has one if its files could not be scanned.
 *
 * @throws {AppError} `ErrScansNotFound` when the caller has no such scan, `ErrScansConflict` when it
 *   has no report.
 */
export async function scanReport(
  scans: ScanService,
  { format, ...request }: { caller: Caller; id: number; format: DownloadedFormat },
): Promise<AsyncIterable<Chunk>> {
  const { id, status } = await findBriefly(scans, request);
  const report = format === "json"
    ? await scans.store.report(id)
    : await scans.store.sarif(id, scans.version);
  if (report !== undefined) return report;
  throw new AppError("ErrScansConflict", `Scan ${id} has no report: its status is ${status}`);
}

/**
 * Cancels a queued or running scan, or removes a finished one (C 15). Returns the canceled scan, or
 * the removed scan as it was.
 *
 * @throws {AppError} `ErrScansNotFound` when the caller has no such scan.
 * @throws {RetryLater} when another server runs it, and has not stopped it in time.
 */
export async function removeScan(
  scans: ScanService,
  request: { caller: Caller; id: number },
): Promise<Scan> {
  const scan = await findScan(scans, request);
  if (await scans.jobs.cancel(scan.id)) return await findScan(scans, request);
  await scans.store.remove(scan.id);
  return scan;
}

async function* pagesOf(files: FileCollection): AsyncGenerator<readonly ScanFile[]> {
  for await (const page of files.pages()) {
    yield page.map(({ userId, path, hash, size }) => ({
      userId,
      path,
      name: nameOf(path),
      hash,
      size,
    }));
  }
}
