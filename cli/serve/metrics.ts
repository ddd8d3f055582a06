import { cpuUsage } from "node:process";
import { capacityOverview, type HostCapacity, type LeasePool } from "../../core/capacity/mod.ts";
import { AppError } from "../../core/errors.ts";
import type { DamageLog } from "../../core/damage.ts";
import type { Measure, Metric } from "../../core/metric.ts";
import type { Mirror } from "../../core/mirror/files.ts";
import type { ScanJobs } from "../../core/scans/jobs.ts";
import type { TensorLists } from "../../core/compare/tensor_lists.ts";
import type { ScanTotals } from "../../core/scans/totals.ts";
import type { ServerEvents } from "../../routes/serving/route.ts";
import type { InFlight } from "../../routes/serving/in_flight.ts";
import { MIB } from "../../schemas/units.ts";
import type { Storage } from "../../storage/stores/storage.ts";

/** What metrics are read from. */
export interface MeasuredParts {
  readonly inFlight: InFlight;
  readonly records: Storage["records"];
  /** Where large content is. */
  readonly place: "file" | "object";
  readonly damage: DamageLog;
  readonly jobs: ScanJobs;
  readonly totals: ScanTotals;
  readonly tensors: TensorLists;
  readonly host: HostCapacity & { readonly leases: LeasePool };
  readonly events: ServerEvents;
  /** How many lines of the log were dropped. */
  readonly droppedLines: (() => number) | undefined;
  /** The requests to the object store, if there is one. */
  readonly store: Storage["store"];
  /** Undefined if no other hub is mirrored. */
  readonly mirror: Mirror | undefined;
}

const STARTED_SECONDS = Date.now() / 1000;

/** What `GET /metrics` shows besides requests (C 1). None of it takes longer the more is stored. */
export function measureServer(parts: MeasuredParts): Measure {
  return async () => [
    gauge("strongroom_http_requests_in_flight", "Requests being served", parts.inFlight.count),
    ...await databaseMetrics(parts),
    ...sharingMetrics(parts.records),
    ...parts.store === undefined ? [] : storeMetrics(parts.store),
    ...parts.mirror === undefined ? [] : mirrorMetrics(parts.mirror),
    ...damageMetrics(parts.damage),
    ...scanMetrics(parts.totals),
    tensorMetric(parts.tensors),
    ...capacityMetrics(parts.host),
    counter("strongroom_events_total", "Events that were published", parts.events.published),
    gauge("strongroom_event_streams", "Streams of events", parts.events.subscribers),
    counter(
      "strongroom_dropped_log_lines_total",
      "Lines of the log that nobody read in time",
      parts.droppedLines?.() ?? 0,
    ),
    ...processMetrics(),
  ];
}

/** None while the database is away: the others matter then. */
async function databaseMetrics(parts: MeasuredParts): Promise<Metric[]> {
  try {
    const measured = [
      storageMetrics(parts),
      historyMetrics(parts.records),
      queueMetrics(parts.jobs),
    ];
    return (await Promise.all(measured)).flat();
  } catch (error) {
    if (error instanceof AppError && error.kind === "ErrUnavailable") return [];
    throw error;
  }
}

async function storageMetrics({ records, place }: MeasuredParts): Promise<Metric[]> {
  const used = await records.usage({ userId: 0, everyone: true });
  const { contents: { files, database }, ...measured } = await records.measure();
  return [
    gauge("strongroom_records", "Records in all trees", {
      label: "kind",
      values: { file: used.files, directory: used.records - used.files },
    }),
    gauge(
      "strongroom_record_bytes",
      "Sizes of all files; shared content counts for each",
      used.bytes,
    ),
    gauge("strongroom_contents", "Different contents, by where they are kept", {
      label: "place",
      values: { [place]: files.count, database: database.count },
    }),
    gauge("strongroom_content_bytes", "Bytes of different contents, by where they are kept", {
      label: "place",
      values: { [place]: files.bytes, database: database.bytes },
    }),
    gauge("strongroom_database_bytes", "Size of the database", measured.databaseBytes),
    ...measured.logBytes === undefined ? [] : [
      gauge("strongroom_database_log_bytes", "Size of the log of the database", measured.logBytes),
    ],
    counter("strongroom_commits_total", "Transactions that were committed", measured.commits),
    counter("strongroom_writes_total", "Pieces of work that these carried out", measured.works),
  ];
}

async function historyMetrics({ history }: MeasuredParts["records"]): Promise<Metric[]> {
  const { versions, givenUp, bytes } = await history.kept();
  return [
    gauge("strongroom_history_versions", "Earlier versions of trees that can be read", versions),
    gauge(
      "strongroom_history_bytes",
      "Sizes of deleted files and former content; shared content counts for each",
      bytes,
    ),
    counter(
      "strongroom_history_given_up_total",
      "Versions of trees that can no longer be read",
      givenUp,
    ),
  ];
}

/** What is known of a database that servers share, whether it can be reached or not. */
function sharingMetrics(records: MeasuredParts["records"]): Metric[] {
  const measured = records.sharing?.();
  if (measured === undefined) return [];
  const { open, used, waiting, leaseSeconds } = measured;
  return [
    gauge("strongroom_database_connections", "Open connections, by what they are for", {
      label: "purpose",
      values: open,
    }),
    gauge("strongroom_database_connections_used", "Those of them that are in use", {
      label: "purpose",
      values: used,
    }),
    gauge("strongroom_database_waiting", "Work that waits for a connection", {
      label: "purpose",
      values: waiting,
    }),
    gauge(
      "strongroom_lease_seconds",
      "How long no other server takes over from this one, if the database stays away",
      leaseSeconds,
    ),
  ];
}

function storeMetrics(
  { requests, failures, seconds }: NonNullable<MeasuredParts["store"]>,
): Metric[] {
  return [
    counter("strongroom_store_requests_total", "Requests to the object store, with each attempt", {
      label: "method",
      values: requests,
    }),
    counter("strongroom_store_failures_total", "Those of them that failed", {
      label: "kind",
      values: failures,
    }),
    counter("strongroom_store_seconds_total", "Seconds until the store began its replies", seconds),
  ];
}

function mirrorMetrics({ totals, fetches }: Mirror): Metric[] {
  const { requests, hits, mismatches, failures, answeredAt } = totals;
  return [
    counter("strongroom_mirror_requests_total", "Requests for files of the other hub", requests),
    counter("strongroom_mirror_hits_total", "Those of them for files that were here", hits),
    counter("strongroom_mirror_fetched_files_total", "Files that came in", totals.fetchedFiles),
    counter("strongroom_mirror_fetched_bytes_total", "Bytes that came in", totals.fetchedBytes),
    counter("strongroom_mirror_refusals_total", "Files that were refused", totals.refusals),
    counter("strongroom_mirror_failures_total", "Failures of the other hub, by what it did", {
      label: "kind",
      values: { away: failures - mismatches, mismatch: mismatches },
    }),
    gauge("strongroom_mirror_fetches", "Files that come in now", fetches.running),
    ...answeredAt === undefined ? [] : [
      gauge(
        "strongroom_mirror_answer_age_seconds",
        "How long ago the other hub answered last",
        (Date.now() - answeredAt) / 1000,
      ),
    ],
  ];
}

async function queueMetrics(jobs: ScanJobs): Promise<Metric[]> {
  return [
    gauge("strongroom_scans", "Scans that have not ended", {
      label: "state",
      values: { queued: await jobs.queued(), running: jobs.instances.running },
    }),
  ];
}

function damageMetrics({ count, repairs }: DamageLog): Metric[] {
  return [
    counter("strongroom_damaged_content_total", "Times that content was found damaged", count),
    counter(
      "strongroom_repaired_content_total",
      "Times that an upload replaced damaged content",
      repairs,
    ),
  ];
}

function scanMetrics(totals: ScanTotals): Metric[] {
  return [
    counter("strongroom_scans_total", "Scans that have ended", {
      label: "status",
      values: totals.scans,
    }),
    counter("strongroom_scanned_files_total", "Files that were scanned", {
      label: "verdict",
      values: totals.files,
    }),
    counter("strongroom_scanned_bytes_total", "Bytes of files that were scanned", totals.bytes),
    counter("strongroom_scan_seconds_total", "Seconds that scanners took for them", totals.seconds),
  ];
}

function tensorMetric({ totals }: TensorLists): Metric {
  return counter("strongroom_tensor_files_total", "Files whose tensors were read for comparisons", {
    label: "outcome",
    values: { ...totals },
  });
}

function capacityMetrics(host: MeasuredParts["host"]): Metric[] {
  const { readings, level, instances } = capacityOverview(host);
  return [
    gauge("strongroom_capacity_level", "The level of the host: 1 for the present one", {
      label: "level",
      values: { OK: 0, CAUTION: 0, CRITICAL: 0, [level]: 1 },
    }),
    gauge("strongroom_scan_ceiling", "Scans that the host carries at once", instances.ceiling),
    gauge("strongroom_leases", "Leases of the host", {
      label: "state",
      values: { active: host.leases.activeTotal, waiting: host.leases.waiting },
    }),
    gauge("strongroom_host_load", "Load average over one minute", readings.LoadAvg1m),
    gauge("strongroom_host_cores", "Cores that this process may use", readings.CPUCores),
    gauge(
      "strongroom_host_memory_available_bytes",
      "Memory that is available to it",
      readings.MemAvailableMB * MIB,
    ),
    gauge(
      "strongroom_host_disk_free_bytes",
      "Free space of the data directory",
      readings.DiskFreeMB * MIB,
    ),
  ];
}

function processMetrics(): Metric[] {
  const { user, system } = cpuUsage();
  return [
    gauge(
      "process_resident_memory_bytes",
      "Resident memory of the process",
      Deno.memoryUsage().rss,
    ),
    counter("process_cpu_seconds_total", "CPU time of the process", (user + system) / 1e6),
    gauge(
      "process_start_time_seconds",
      "When the process started, since the Unix epoch",
      STARTED_SECONDS,
    ),
  ];
}

function gauge(name: string, help: string, samples: Metric["samples"]): Metric {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: Metric["samples"]): Metric {
  return { name, type: "counter", help, samples };
}
