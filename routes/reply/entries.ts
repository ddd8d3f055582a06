import type { Context } from "hono";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { entriesJson, isoTime } from "../../core/entries.ts";
import type { ItemsJson, ResourceRecord } from "../../core/ports.ts";
import type { Scan } from "../../core/scans/ports.ts";
import type { ScanEntry } from "../../schemas/scans.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { encoded, encodedChunks } from "./gzip.ts";
import { successBytes } from "./envelope.ts";
import { streamed } from "./streamed.ts";

const encoder = new TextEncoder();

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

/** A ResourceList of records as a reply. */
export function entryList(
  c: Context<AppEnvironment>,
  batches: AsyncIterable<readonly ResourceRecord[]>,
): Promise<Response> {
  async function* parts() {
    for await (const batch of batches) yield entriesJson(batch);
  }
  return listReply(c, parts());
}

/** A list as a reply. It is streamed if it has more than one part (C 8). */
export async function listReply(
  c: Context<AppEnvironment>,
  items: AsyncIterable<ItemsJson>,
): Promise<Response> {
  const parts = items[Symbol.asyncIterator]();
  const first = await parts.next();
  const second = first.done ? first : await parts.next();
  if (second.done) {
    const { json, count } = first.done ? NOTHING : first.value;
    const whole = joinChunks([LIST_BEGIN, json.subarray(1), listEnd(count)]);
    const { body, headers } = encoded(c, whole);
    return successBytes(c, body, headers);
  }
  async function* all() {
    try {
      if (!first.done) yield first.value;
      if (!second.done) yield second.value;
      for (let next = await parts.next(); !next.done; next = await parts.next()) yield next.value;
    } finally {
      await parts.return?.();
    }
  }
  const { body, headers } = encodedChunks(c, listChunks(all()));
  return await streamed(c, body, { headers: { "Content-Type": "application/json", ...headers } });
}

const LIST_BEGIN = encoder.encode('{"status":"success","data":{"items":[');
const NOTHING: ItemsJson = { json: new Uint8Array(), count: 0 };

function listEnd(total: number): Chunk {
  return encoder.encode(`],"total":${total}}}\n`);
}

async function* listChunks(parts: AsyncIterable<ItemsJson>): AsyncGenerator<Chunk> {
  let total = 0;
  for await (const { json, count } of parts) {
    yield total === 0 ? joinChunks([LIST_BEGIN, json.subarray(1)]) : json;
    total += count;
  }
  yield listEnd(total);
}
