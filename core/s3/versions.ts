import { type Caller, ownerOf } from "../caller.ts";
import { quoted } from "../errors.ts";
import type { FileState, StatesQuery } from "../history.ts";
import { compareBytewise } from "../paths.ts";
import type { Tree } from "../tree/changes.ts";
import { treeAt } from "../tree/past_tree.ts";
import { S3Error } from "./s3_error.ts";
import type { S3Service } from "./service.ts";

/** What Amazon's clients call the version of an object that is older than its history. */
const FIRST = "null";
/** How many states are read at a time, besides a few for a small page. */
const MAX_STATES = 1000;
/** Sorts after all paths. */
const END = "\u{10ffff}";

/** A request for a page of the versions of objects (C 30). */
export interface VersionsRequest {
  readonly userId: number;
  readonly prefix: string;
  /** What ends the part of a key that is listed in its place; "" for none. */
  readonly delimiter: string;
  /** Versions of keys after this one. */
  readonly after: string;
  /** Also those of that key that are older than this version. @default none of them */
  readonly olderThan?: string | undefined;
  readonly limit: number;
}

/** A version of an object, the mark that it was deleted, or the common prefix of keys. */
export interface VersionItem {
  readonly key: string;
  /** Undefined for a common prefix. */
  readonly version?: {
    readonly id: string;
    readonly isLatest: boolean;
    /** Milliseconds since the Unix epoch. */
    readonly modifiedAt: number;
    /** Undefined if it marks that the object was deleted. */
    readonly file: FileState | undefined;
  };
}

/** Versions in the order of the bytes of their keys, those of one key from the newest on. */
export interface VersionsPage {
  readonly items: readonly VersionItem[];
  readonly hasMore: boolean;
}

/** Where states are read from. */
type Place = Pick<StatesQuery, "from" | "below">;

interface StatesPage {
  readonly states: readonly FileState[];
  /** Undefined at the end. */
  readonly next: Place | undefined;
}

/**
 * Lists the versions of objects: the id of each is the version of the tree that made it. Without history, objects have
 * the version `null`.
 * See docs/design/s3.md.
 */
export async function listVersions(
  s3: Pick<S3Service, "tree" | "store">,
  request: VersionsRequest,
): Promise<VersionsPage> {
  const { limit } = request;
  const items: VersionItem[] = [];
  if (limit === 0) return { items, hasMore: false };
  for await (const item of itemsOf(s3, request)) {
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}

async function* itemsOf(
  s3: Pick<S3Service, "tree" | "store">,
  request: VersionsRequest,
): AsyncGenerator<VersionItem> {
  const { userId, prefix, limit: asked } = request;
  const limit = Math.min(asked, MAX_STATES) + 2;
  const before = prefix + END;
  let place: Place | undefined = startOf(request);
  let newer: FileState | undefined;
  let common: string | undefined;
  while (place !== undefined) {
    const { states, next } = await statesOf(s3, { userId, ...place, before, limit });
    for (const state of states) {
      const key = state.path;
      if (isIn(common, key)) continue;
      common = commonPrefixOf(key, request);
      if (common !== undefined) {
        yield { key: common };
        continue;
      }
      if (newer?.path !== key) newer = undefined;
      for (const version of versionsOf(state, newer)) {
        if (isAfter(key, idNumber(version.id), request)) yield { key, version };
      }
      newer = state;
    }
    place = next && isIn(common, next.from) ? { from: common + END, below: 0 } : next;
  }
}

function isIn(common: string | undefined, key: string): common is string {
  return common !== undefined && key.startsWith(common);
}

/** Where states are read from: the newest of a key shows what followed the others. */
function startOf(request: VersionsRequest): Place {
  const { prefix, after, olderThan } = request;
  if (compareBytewise(after, prefix) < 0) return { from: prefix, below: Infinity };
  if (commonPrefixOf(after, request) === after) return { from: after + END, below: 0 };
  return { from: after, below: olderThan === undefined ? 0 : Infinity };
}

/** The common prefix that is listed in the place of a key, if one is. */
function commonPrefixOf(key: string, { prefix, delimiter }: VersionsRequest): string | undefined {
  const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
  return end < 0 ? undefined : key.slice(0, end + delimiter.length);
}

function isAfter(key: string, id: number, { after, olderThan }: VersionsRequest): boolean {
  return olderThan === undefined || key !== after || id < idNumber(olderThan);
}

/** The version that a state is, and before it the mark that it was deleted, unless another one took its place. */
function versionsOf(state: FileState, newer: FileState | undefined) {
  const { since, until, endedAt, updatedAt } = state;
  const version = {
    id: since === 0 ? FIRST : String(since),
    isLatest: until === undefined,
    modifiedAt: updatedAt,
    file: state,
  };
  if (until === undefined || newer?.since === until) return [version];
  const isLatest = newer === undefined;
  return [{ id: String(until), isLatest, modifiedAt: endedAt, file: undefined }, version];
}

/** The states of files; without history, those of the present. */
async function statesOf(
  { tree, store }: Pick<S3Service, "tree" | "store">,
  query: StatesQuery,
): Promise<StatesPage> {
  const { from, below, limit } = query;
  const found = await tree.records.history?.states(query) ??
    (await store.records(query))
      .map((record) => ({ ...record, since: 0, until: undefined, endedAt: 0 }));
  const last = found.length < limit ? undefined : found.at(-1);
  return {
    // Records of the present have directories among them, and the first path.
    states: found.filter(({ path, hash, since }) =>
      hash !== "" && (path !== from || since < below)
    ),
    next: last && { from: last.path, below: last.since },
  };
}

/** Whether objects of a tree have versions. */
export async function hasVersions({ records }: Tree, userId: number): Promise<boolean> {
  const query = { userId, from: END, below: 0, before: END, limit: 1 };
  return await records.history?.states(query) !== undefined;
}

/** A tree in which a version of an object is what is there. */
export interface VersionTree {
  readonly tree: Tree;
  readonly file: FileState;
}

/**
 * Finds a version of an object.
 *
 * @throws {S3Error} `NoSuchVersion`, `MethodNotAllowed` for the mark that the object was deleted, `InvalidArgument`
 *   when it is no version.
 */
export async function versionTree(
  s3: Pick<S3Service, "tree" | "store">,
  { caller, path, version }: {
    readonly caller: Caller;
    readonly path: string;
    readonly version: string;
  },
): Promise<VersionTree> {
  const id = idNumber(version);
  const userId = ownerOf(caller);
  const query = { userId, from: path, below: id + 1, before: path + END, limit: 1 };
  const { states: [file] } = await statesOf(s3, query);
  if (file?.path === path && file.since === id) {
    if (file.until === undefined) return { tree: s3.tree, file };
    return { tree: (await treeAt(s3.tree, userId, { version: file.until - 1 })).tree, file };
  }
  if (file?.path === path && file.until === id) {
    throw new S3Error("MethodNotAllowed", `Version ${id} marks that the object was deleted`);
  }
  throw noSuchVersion(path, version);
}

/** The error for a version that is not there, or no longer. */
export function noSuchVersion(key: string, version: string): S3Error {
  return new S3Error(
    "NoSuchVersion",
    `The object ${quoted(key)} has no version ${quoted(version)}`,
  );
}

/** The version of the tree that the id of a version names. */
function idNumber(id: string): number {
  if (id === FIRST) return 0;
  if (/^[1-9]\d{0,14}$/.test(id)) return Number(id);
  throw new S3Error("InvalidArgument", `Invalid version id ${quoted(id)}`);
}
