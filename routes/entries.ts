import type { Context } from "hono";
import type { Chunk } from "../core/content.ts";
import type { ResourceRecord } from "../core/ports.ts";
import type { Scan } from "../core/scans/ports.ts";
import type { ResourceEntry } from "../schemas/resources.ts";
import type { ScanEntry } from "../schemas/scans.ts";
import type { AppEnvironment } from "./environment.ts";
import { success } from "./envelope.ts";
import { streamed } from "./streamed.ts";

/** How many entries are serialized at a time. */
const BATCH_ENTRIES = 500;

const MINUTE_MS = 60_000;
/** The length of the seconds in a time, such as `59.999Z`. */
const SECONDS_LENGTH = 7;

const encoder = new TextEncoder();

/** A record as callers see it (RS 2, C 3). */
export function entryOf(record: ResourceRecord): ResourceEntry {
  return {
    id: record.id,
    user_id: record.userId,
    name: record.name,
    path: record.path,
    size: record.size,
    is_dir: record.isDir,
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
  };
}

/** A scan as callers see it (C 15). */
export function scanOf(scan: Scan): ScanEntry {
  return {
    id: scan.id,
    user_id: scan.userId,
    status: scan.status,
    paths: [...scan.paths],
    paths_total: scan.pathsTotal,
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

/** The last minute that {@link isoTime} has formatted. Most entries of a list were made at about one time. */
let lastMinute = { number: Number.NaN, text: "" };

/** A time in RFC 3339, from milliseconds since the Unix epoch. */
export function isoTime(milliseconds: number): string {
  const number = Math.floor(milliseconds / MINUTE_MS);
  if (number !== lastMinute.number) {
    const text = new Date(milliseconds).toISOString();
    lastMinute = { number, text: text.slice(0, -SECONDS_LENGTH) };
  }
  const rest = milliseconds - number * MINUTE_MS;
  const [seconds, fraction] = [Math.floor(rest / 1000), rest % 1000];
  const padded = `${seconds}`.padStart(2, "0");
  return `${lastMinute.text}${padded}.${`${fraction}`.padStart(3, "0")}Z`;
}

/** A ResourceList as a reply. It is streamed if it has more than one batch (C 8). */
export function entryList(
  c: Context<AppEnvironment>,
  records: AsyncIterable<readonly ResourceRecord[]>,
): Promise<Response> {
  return listReply(c, records, entryOf);
}

/** A list as a reply. It is streamed if it has more than one batch. */
export async function listReply<Item>(
  c: Context<AppEnvironment>,
  items: AsyncIterable<readonly Item[]>,
  entryOf: (item: Item) => unknown,
): Promise<Response> {
  const batches = items[Symbol.asyncIterator]();
  const first = await batches.next();
  const second = first.done ? first : await batches.next();
  if (second.done) {
    const entries = first.done ? [] : first.value.map(entryOf);
    return success(c, { items: entries, total: entries.length });
  }
  async function* all() {
    try {
      if (!first.done) yield first.value;
      if (!second.done) yield second.value;
      for (let next = await batches.next(); !next.done; next = await batches.next()) {
        yield next.value;
      }
    } finally {
      await batches.return?.();
    }
  }
  return await streamed(c, listJson(all(), entryOf), {
    headers: { "Content-Type": "application/json" },
  });
}

/** Splits records into batches. */
export async function* batchesOf(
  records: readonly ResourceRecord[],
): AsyncGenerator<readonly ResourceRecord[]> {
  for (let at = 0; at < records.length; at += BATCH_ENTRIES) {
    yield records.slice(at, at + BATCH_ENTRIES);
  }
}

async function* listJson<Item>(
  batches: AsyncIterable<readonly Item[]>,
  entryOf: (item: Item) => unknown,
): AsyncGenerator<Chunk> {
  let total = 0;
  let before = '{"status":"success","data":{"items":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const items = batch.map((item) => JSON.stringify(entryOf(item))).join(",");
    yield encoder.encode(before + items);
    before = ",";
    total += batch.length;
  }
  yield encoder.encode(`${total === 0 ? before : ""}],"total":${total}}}\n`);
}
