import type { Context } from "hono";
import type { Chunk } from "../core/content.ts";
import type { ResourceRecord } from "../core/ports.ts";
import type { ResourceEntry } from "../schemas/resources.ts";
import type { AppEnvironment } from "./environment.ts";
import { success } from "./envelope.ts";
import { streamed } from "./streamed.ts";

/** How many entries become JSON at a time. */
const BATCH_ENTRIES = 500;

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
    created_at: new Date(record.createdAt).toISOString(),
    updated_at: new Date(record.updatedAt).toISOString(),
  };
}

/** A ResourceList as a reply. One of more than a batch is written as a stream (C 8). */
export async function entryList(
  c: Context<AppEnvironment>,
  records: AsyncIterable<readonly ResourceRecord[]>,
): Promise<Response> {
  const batches = records[Symbol.asyncIterator]();
  const first = await batches.next();
  const second = first.done ? first : await batches.next();
  if (second.done) {
    const items = first.done ? [] : first.value.map(entryOf);
    return success(c, { items, total: items.length });
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
  return await streamed(c, listJson(all()), { headers: { "Content-Type": "application/json" } });
}

/** Records that are there already, in batches. */
export async function* batchesOf(
  records: readonly ResourceRecord[],
): AsyncGenerator<readonly ResourceRecord[]> {
  for (let at = 0; at < records.length; at += BATCH_ENTRIES) {
    yield records.slice(at, at + BATCH_ENTRIES);
  }
}

async function* listJson(
  batches: AsyncIterable<readonly ResourceRecord[]>,
): AsyncGenerator<Chunk> {
  let total = 0;
  let before = '{"status":"success","data":{"items":[';
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const items = batch.map((record) => JSON.stringify(entryOf(record))).join(",");
    yield encoder.encode(before + items);
    before = ",";
    total += batch.length;
  }
  yield encoder.encode(`${total === 0 ? before : ""}],"total":${total}}}\n`);
}
