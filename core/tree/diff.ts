import { type Caller, ownerOf } from "../caller.ts";
import { AppError } from "../errors.ts";
import type { At, ChangeAction, PastRecords } from "../history.ts";
import { compareBytewise, isBelow, nameOf, sanitizeDirectory } from "../paths.ts";
import type { ResourceRecord, Scope } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { historyOf } from "./tree_log.ts";

/** A request for what is different between two versions (C 26). */
export interface DiffRequest {
  readonly caller: Caller;
  /** Blank is the whole tree. */
  readonly path: string;
  readonly from: At;
  /** @default what is there now */
  readonly to?: At | undefined;
}

/** A record that is different. */
export interface Difference {
  readonly action: ChangeAction;
  /** The record as it became; as it was, if it was deleted. */
  readonly record: ResourceRecord;
  /** Where a moved record was. */
  readonly formerPath: string | null;
  /** The SHA-256 of the content of a file, if it is known. */
  readonly sha256: string | null;
}

/** Different records whose ids are looked up at once. */
const BATCH_RECORDS = 300;

/** What can be read of a tree at a version, or of the present one. */
type Side = Pick<PastRecords, "findById" | "list">;

/** The records at a path, of which one may be missing. */
interface Pair {
  readonly from?: ResourceRecord;
  readonly to?: ResourceRecord;
}

/**
 * What was added, replaced, moved or deleted at and below a path between two versions, in batches, ordered by path.
 * What has left the path is where it was.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid, `ErrVersionsNotFound` when a version is
 *   not kept.
 */
export async function* diff(
  tree: Tree,
  { caller, path: given, from, to }: DiffRequest,
): AsyncGenerator<readonly Difference[]> {
  const path = sanitizeDirectory(given);
  const userId = ownerOf(caller);
  const former = await historyOf(tree).at(userId, from);
  const present = await presentOf(tree, userId, to);
  const sides = { scope: { userId, everyone: false }, path, former, present };
  let pending: Pair[] = [];
  for await (const pair of pairs(sides)) {
    if (pair.from?.hash === pair.to?.hash && pair.from?.isDir === pair.to?.isDir) continue;
    if (pending.push(pair) < BATCH_RECORDS) continue;
    yield await differences(tree, sides, pending);
    pending = [];
  }
  if (pending.length > 0) yield await differences(tree, sides, pending);
}

/** The tree to compare with, of one version if it has any. */
async function presentOf(tree: Tree, userId: number, to: At | undefined): Promise<Side> {
  if (to !== undefined) return await historyOf(tree).at(userId, to);
  try {
    return await historyOf(tree).at(userId, { time: Number.MAX_SAFE_INTEGER });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "ErrVersionsNotFound") throw error;
    return tree.records;
  }
}

interface Sides {
  readonly scope: Scope;
  readonly path: string;
  readonly former: Side;
  readonly present: Side;
}

/** The records of both sides by path. */
async function* pairs({ scope, path, former, present }: Sides): AsyncGenerator<Pair> {
  await using before = new Records(listed(former, scope, path));
  await using after = new Records(listed(present, scope, path));
  let from = await before.next();
  let to = await after.next();
  while (from !== undefined || to !== undefined) {
    const order = from === undefined
      ? 1
      : to === undefined
      ? -1
      : compareBytewise(from.path, to.path);
    yield {
      ...(order <= 0 && from !== undefined && { from }),
      ...(order >= 0 && to !== undefined && { to }),
    };
    if (order <= 0) from = await before.next();
    if (order >= 0) to = await after.next();
  }
}

/** The records at and below a path, by path: a listing of the root has another order than one of what is in it. */
async function* listed(
  side: Side,
  scope: Scope,
  path: string,
): AsyncGenerator<readonly ResourceRecord[]> {
  if (path !== "") {
    return yield* side.list({ scope, recursive: true, directories: [path], chain: [path] });
  }
  const top: string[] = [];
  const root = { scope, recursive: false, directories: [], chain: [] };
  for await (const batch of side.list(root)) top.push(...batch.map((it) => it.path));
  if (top.length > 0) yield* side.list({ scope, recursive: true, directories: top, chain: top });
}

/** The records of a listing, one by one. */
class Records implements AsyncDisposable {
  readonly #batches: AsyncIterator<readonly ResourceRecord[]>;
  #batch: readonly ResourceRecord[] = [];
  #position = 0;

  constructor(batches: AsyncIterable<readonly ResourceRecord[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  async next(): Promise<ResourceRecord | undefined> {
    while (this.#position === this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value;
      this.#position = 0;
    }
    return this.#batch[this.#position++];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches.return?.();
  }
}

/** What became of pairs of records that are different: some have only moved. */
async function differences(
  { verdicts }: Tree,
  { scope, path, former, present }: Sides,
  found: readonly Pair[],
): Promise<Difference[]> {
  const before = await former.findById(scope, found.flatMap(({ to }) => to?.id ?? []));
  const after = await present.findById(scope, found.flatMap(({ from }) => from?.id ?? []));
  const isIn = (it: ResourceRecord) => path === "" || it.path === path || isBelow(it.path, path);
  const all = found.flatMap(({ from, to }): Omit<Difference, "sha256">[] => {
    if (to !== undefined) {
      const was = before.get(to.id);
      if (was !== undefined && was.path !== to.path) {
        return [{ action: "moved", record: to, formerPath: was.path }];
      }
      return [{ action: from === undefined ? "added" : "replaced", record: to, formerPath: null }];
    }
    if (from === undefined) return [];
    const now = after.get(from.id);
    if (now === undefined) return [{ action: "deleted", record: from, formerPath: null }];
    // What moves within the path is told where it has gone.
    return isIn(now) ? [] : [{ action: "moved", record: now, formerPath: from.path }];
  });
  const files = all.map(({ record }) => record).filter(({ isDir }) => !isDir);
  const contents = files.map(({ userId, hash, path: at }) => ({ userId, hash, name: nameOf(at) }));
  const known = contents.length === 0 ? [] : await verdicts.of(contents);
  const sums = new Map(files.map((file, index) => [file, known[index]?.sha256 ?? null]));
  return all.map((it) => ({ ...it, sha256: sums.get(it.record) ?? null }));
}
