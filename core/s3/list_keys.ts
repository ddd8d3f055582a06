import { compareBytewise } from "../paths.ts";
import type { ResourceStore } from "../ports.ts";
import { keyOf } from "./object_key.ts";
import type { ListedRecord, S3Store } from "./store.ts";

/** How many records are read at a time, besides a few for a small page. */
const MAX_RECORDS = 1000;
/** Sorts after all paths. */
const END = "\u{10ffff}";
const SLASH = 0x2f;

/** A request for a page of keys (C 30). */
export interface KeysRequest {
  readonly userId: number;
  readonly prefix: string;
  /** What ends the part of a key that is listed in its place; "" for none. */
  readonly delimiter: string;
  /** Keys and common prefixes after this one. */
  readonly after: string;
  readonly limit: number;
}

/** A page of the keys of a tree, in the order of their bytes. */
export interface KeysPage {
  readonly items: readonly KeyItem[];
  readonly hasMore: boolean;
}

/** A key with its record, or the common prefix of keys. */
export interface KeyItem {
  readonly key: string;
  /** Undefined for a common prefix. */
  readonly record: ListedRecord | undefined;
}

/** What a list of keys is read from. */
export interface KeySource {
  readonly s3: Pick<S3Store, "records">;
  readonly records: Pick<ResourceStore, "findByPath">;
}

/**
 * Lists keys: those of files, and of directories that have nothing in them.
 * See docs/design/s3.md.
 */
export async function listKeys(source: KeySource, request: KeysRequest): Promise<KeysPage> {
  const { limit, prefix, after } = request;
  const items: KeyItem[] = [];
  const isOver = compareBytewise(after, prefix) > 0 && !after.startsWith(prefix);
  if (limit === 0 || isOver) return { items, hasMore: false };
  for await (const found of itemsOf(source, request)) {
    items.push(...found);
    if (items.length > limit) return { items: items.slice(0, limit), hasMore: true };
  }
  return { items, hasMore: false };
}

/** Yields some at a time: to await each takes longer than all else. */
async function* itemsOf(source: KeySource, request: KeysRequest): AsyncGenerator<KeyItem[]> {
  const { prefix, delimiter, after } = request;
  const level = delimiter === "/" ? directoryOf(prefix) : undefined;
  let last: string | undefined;
  for await (const ordered of inOrder(source, request, level)) {
    const items: KeyItem[] = [];
    for (const { record, isEmpty } of ordered) {
      const key = keyOf(record);
      if (!key.startsWith(prefix)) continue;
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      if (end < 0) {
        const isListed = !record.isDir || isEmpty;
        if (isListed && compareBytewise(key, after) > 0) items.push({ key, record });
        continue;
      }
      const common = key.slice(0, end + delimiter.length);
      if (common === last || !isAfter(common, after)) continue;
      last = common;
      items.push({ key: common, record: undefined });
    }
    yield items;
  }
}

/** Whether a common prefix is after a key: one is listed again for the keys that it has after that. */
function isAfter(common: string, after: string): boolean {
  return compareBytewise(common, after) > 0 || after.startsWith(common) && after !== common;
}

interface Ordered {
  readonly record: ListedRecord;
  /** Whether nothing is below a directory. Not known of those in a level. */
  readonly isEmpty: boolean;
}

/**
 * Records in the order of their keys. That of paths differs, as the key of a directory has a slash at its end:
 * `a` is before `a-b`, and `a/` after it. So a directory waits until the paths between have come. Each such path
 * begins with that of the directory, so few wait.
 *
 * @param level The prefix of keys with the directory in which to look. @default all below the prefix
 */
async function* inOrder(
  source: KeySource,
  request: KeysRequest,
  level: string | undefined,
): AsyncGenerator<Ordered[]> {
  const waiting = await earlierDirectories(source, request, level);
  for await (const page of recordsOf(source, request, level)) {
    const ordered: Ordered[] = [];
    for (const record of page) {
      for (let top; (top = waiting.at(-1)) !== undefined;) {
        const key = keyOf(top);
        if (compareBytewise(key, record.path) > 0) break;
        waiting.pop();
        ordered.push({ record: top, isEmpty: !record.path.startsWith(key) });
      }
      if (record.isDir) waiting.push(record);
      else ordered.push({ record, isEmpty: false });
    }
    yield ordered;
  }
  yield waiting.reverse().map((record) => ({ record, isEmpty: true }));
}

/** Reads records in the order of their paths, from the first whose key may be listed. */
async function* recordsOf(
  { s3 }: KeySource,
  request: KeysRequest,
  level: string | undefined,
): AsyncGenerator<ListedRecord[]> {
  const { userId, prefix, limit: asked } = request;
  const limit = Math.min(asked, MAX_RECORDS) + 2;
  const directory = level?.slice(0, -1);
  const before = prefix + END;
  let from = startOf(request, level);
  let last: string | undefined;
  for (;;) {
    const page = await s3.records({ userId, directory, from, before, limit });
    yield page.filter(({ path }) => path !== last);
    if (page.length < limit) return;
    last = from = page.at(-1)?.path ?? from;
  }
}

/** The path from which records are read. */
function startOf({ prefix, after }: KeysRequest, level: string | undefined): string {
  const start = compareBytewise(after, prefix) > 0 ? after : prefix;
  if (level === undefined) return start;
  const end = start.indexOf("/", level.length);
  return end < 0 ? start : start.slice(0, end);
}

/** Directories whose paths are before that start, and whose keys may be after it: their paths begin it. */
async function earlierDirectories(
  { records }: KeySource,
  request: KeysRequest,
  level: string | undefined,
): Promise<ListedRecord[]> {
  const start = startOf(request, level);
  const paths: string[] = [];
  for (let end = 1; end < start.length; end++) {
    // A slash in the place of a later character makes a key that is before the start.
    if (start.charCodeAt(end) > SLASH) continue;
    const path = start.slice(0, end);
    if (level === undefined || `${path}/` === level || directoryOf(path) === level) {
      paths.push(path);
    }
  }
  const found = await records.findByPath({ userId: request.userId, everyone: false }, paths);
  return paths.flatMap((path) => {
    const record = found.get(path);
    return record?.isDir ? [{ ...record, etag: undefined, checksum: undefined }] : [];
  });
}

/** The path of a directory that a path is in, with a slash at its end; "" for the root. */
function directoryOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}
