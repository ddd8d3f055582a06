import type { ResourceEntry } from "../schemas/resources.ts";
import type { ItemsJson, ResourceRecord } from "./ports.ts";

const encoder = new TextEncoder();

const MINUTE_MS = 60_000;
/** The length of the seconds in a time, such as `59.999Z`. */
const SECONDS_LENGTH = 7;

/** A record as callers see it (RS 2, C 3). See docs/design/listings.md. */
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

/** {@link ItemsJson} of records: {@link entryOf} in half the time. */
export function entriesJson(records: readonly ResourceRecord[]): ItemsJson {
  return itemsJson(records, entryJson);
}

/** {@link ItemsJson} of items. */
export function itemsJson<Item>(
  items: readonly Item[],
  jsonOf: (item: Item) => string,
): ItemsJson {
  let json = "";
  for (const item of items) json += `,${jsonOf(item)}`;
  return { json: encoder.encode(json), count: items.length };
}

function entryJson(record: ResourceRecord): string {
  const { id, userId, name, path, size, isDir, createdAt, updatedAt } = record;
  const created = isoTime(createdAt);
  const updated = updatedAt === createdAt ? created : isoTime(updatedAt);
  return `{"id":${id},"user_id":${userId},"name":${JSON.stringify(name)},` +
    `"path":${JSON.stringify(path)},"size":${size},"is_dir":${isDir},` +
    `"created_at":"${created}","updated_at":"${updated}"}`;
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
