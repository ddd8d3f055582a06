import { type HostCapacity, LeasePool, scannerLimits } from "../../core/capacity/mod.ts";
import type { TensorReader } from "../../core/compare/ports.ts";
import { TensorLists } from "../../core/compare/tensor_lists.ts";
import type { DamageLog } from "../../core/damage.ts";
import type { EventSink } from "../../core/events.ts";
import type { Log } from "../../core/log.ts";
import { AutomaticScans } from "../../core/scans/automatic_scans.ts";
import type { ScanEarly } from "../../core/mirror/ports.ts";
import { scanBounds } from "../../core/scans/bounds.ts";
import { EarlyScan } from "../../core/scans/early_scan.ts";
import { ScanJobs } from "../../core/scans/jobs.ts";
import { LocalQueue } from "../../core/scans/local_queue.ts";
import type { ArrivingScanner, ContentScanner, ScanEvent } from "../../core/scans/ports.ts";
import { SharedScans } from "../../core/scans/shared_scans.ts";
import { ScanLeases } from "../../core/scans/scan_leases.ts";
import { ScanTotals } from "../../core/scans/totals.ts";
import { type VerdictEvent, Verdicts } from "../../core/verdicts.ts";
import { WaiverEvents } from "../../core/waiver_events.ts";
import type { WaiverService } from "../../core/waivers.ts";
import type { Settings } from "../../schemas/settings.ts";
import { ThreadScanner } from "../../storage/scanners/sandbox/sandbox.ts";
import type { ProcessStarter } from "../../storage/scanners/processes.ts";
import { ProcessScanner } from "../../storage/scanners/process_scanner.ts";
import type { Storage } from "../../storage/stores/storage.ts";

/** What scans work with. */
export interface ScanComponents {
  readonly storage: Pick<Storage, "records" | "blobs">;
  readonly settings: Settings;
  readonly host: HostCapacity;
  readonly log: Log;
  readonly damage: DamageLog;
  readonly events: EventSink<ScanEvent | VerdictEvent>;
}

export interface ScanOptions {
  /** Starts scanner processes. @default scans run in threads */
  readonly processes?: ProcessStarter | undefined;
  /** Scans content in place of a sandbox. */
  readonly contents?: ContentScanner | undefined;
  /** Scans files that come in. @default a sandbox does, unless `contents` stands in for it */
  readonly arriving?: ArrivingScanner | undefined;
  /** How often waiting scans look at the host, in milliseconds. */
  readonly pollIntervalMs?: number | undefined;
  /** Lists tensors in place of a sandbox. */
  readonly tensors?: TensorReader | undefined;
  /** How long a comparison waits for weights that are read for the first time, in milliseconds. */
  readonly patienceMs?: number | undefined;
}

/** The scans of a server. */
export interface ComposedScans {
  readonly jobs: ScanJobs;
  /** Undefined with the gate off. */
  readonly automatic: AutomaticScans | undefined;
  /** Undefined with the gate off. */
  readonly scanEarly: ScanEarly | undefined;
  readonly verdicts: Verdicts;
  readonly waivers: WaiverService;
  readonly tensors: TensorLists;
  readonly leases: LeasePool;
  readonly totals: ScanTotals;
}

/** Wires the scans of a server. `parts` disposes of them. */
export function composeScans(
  parts: AsyncDisposableStack,
  { storage: { records, blobs }, settings, host, log, damage, events }: ScanComponents,
  { processes, contents: replaced, arriving, tensors: reader, pollIntervalMs, patienceMs }:
    ScanOptions,
): ComposedScans {
  const leases = new LeasePool({ ...host, log });
  const bounds = scanBounds(settings);
  const scanner = processes === undefined
    ? new ThreadScanner(blobs, bounds)
    : parts.use(new ProcessScanner(blobs, { processes, ...bounds, ...scannerLimits(host) }));
  const contents = replaced ?? scanner;
  const shared = new SharedScans();
  const totals = new ScanTotals();
  const common = {
    scans: records.scans,
    ...{ contents, events, log, damage, shared, totals },
    leases: new ScanLeases({ ...host, leases, log }),
  };
  const tensors = parts.use(
    new TensorLists({ ...common, store: records.tensors, reader: reader ?? scanner, patienceMs }),
  );
  const isGated = settings.gate !== "off";
  const verdicts = new Verdicts(records.verdicts, isGated);
  const store = records.verdicts;
  const waivers = { store, events: parts.use(new WaiverEvents({ store, verdicts, events, log })) };
  const jobs: ScanJobs = parts.use(
    new ScanJobs({
      ...common,
      queue: records.sharedQueue ?? new LocalQueue(records.scans),
      servers: records.sharedQueue,
      host,
      pollIntervalMs,
      onVerdict: (content) => void automatic?.publish(content),
    }),
  );
  const automatic = isGated
    ? parts.use(
      new AutomaticScans({
        ...common,
        ...{ store, verdicts },
        hasRoom: () => jobs.hasRoom,
        concurrency: Math.max(1, host.stats().CPUCores),
        pollIntervalMs,
      }),
    )
    : undefined;
  const files = arriving ?? (replaced === undefined ? scanner : undefined);
  const scanEarly: ScanEarly | undefined = automatic && files && ((file) =>
    new EarlyScan({
      ...common,
      files,
      hasRoom: () => jobs.hasRoom,
      publish: (content) => automatic.publish(content),
    }, file));
  return { jobs, automatic, scanEarly, verdicts, waivers, tensors, leases, totals };
}
