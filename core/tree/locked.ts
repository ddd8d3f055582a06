import type { Caller } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { Lock } from "../locks.ts";
import { ancestorsOf, isBelow, parentOf } from "../paths.ts";
import type { WriteTransaction } from "../ports.ts";
import { batchesOf } from "../record_lists.ts";
import type { Change, ChangeSet } from "./change_set.ts";

/** Who asks, and with the tokens of which locks. */
type Asker = Pick<Caller, "userId" | "lockTokens">;

/** A change that a lock prevents (RFC 4918, 11.3). */
export class Locked extends AppError {
  /** @param lock One whose token the request would need. */
  constructor(readonly lock: Lock) {
    const where = lock.path === "" ? "the tree" : quoted(lock.path);
    const until = new Date(lock.expiresAt).toISOString();
    super(
      "ErrResourcesLocked",
      `Cannot change what a WebDAV lock of ${where} holds until ${until}`,
    );
  }
}

/**
 * Refuses changes of what locks hold whose tokens the caller does not have, and removes the locks of what is gone
 * (RFC 4918, 7).
 *
 * @throws {Locked}
 */
export async function requireUnlocked(
  transaction: WriteTransaction,
  changes: ChangeSet,
  caller: Asker,
): Promise<void> {
  const now = Date.now();
  for (const userId of changedTrees(changes)) {
    const found = await transaction.dav.locksOf(userId, now);
    if (found.length === 0) continue;
    const locks = new Locks(found);
    const gone = new Set<string>();
    for (const change of changes) {
      for (const root of change.former ?? []) {
        if (root.userId === userId) refuseFormer(locks, root.path, { caller, gone });
      }
      for await (const batch of batchesOf([change.records])) {
        for (const record of batch) {
          if (record.userId !== userId) continue;
          const { path } = record;
          locks.require(path, caller);
          if (change.kind !== "updated" || change.former !== undefined) {
            locks.requireMembership(path, caller);
          }
          if (change.kind === "deleted") gone.add(path);
          else gone.delete(path);
        }
      }
    }
    const ended = found.filter(({ path }) => gone.has(path)).map(({ token }) => token);
    if (ended.length > 0) await transaction.last(() => transaction.dav.removeLocks(userId, ended));
  }
}

/** The trees in which something has changed. */
export function changedTrees(changes: ChangeSet): Set<number> {
  return new Set(changes.flatMap(treesOf));
}

function treesOf({ records }: Change): number[] {
  return "owners" in records
    ? [...records.owners.keys()]
    : [...new Set(records.map(({ userId }) => userId))];
}

/** A lock stays where it was taken: what moves away loses it. */
function refuseFormer(
  locks: Locks,
  path: string,
  { caller, gone }: { readonly caller: Asker; readonly gone: Set<string> },
): void {
  locks.require(path, caller);
  locks.requireMembership(path, caller);
  gone.add(path);
  for (const lock of locks.below(path)) {
    locks.require(lock.path, caller);
    gone.add(lock.path);
  }
}

/** The locks of a tree, by path. See docs/design/webdav.md. */
export class Locks {
  readonly #byPath: ReadonlyMap<string, readonly Lock[]>;
  readonly #all: readonly Lock[];

  constructor(locks: readonly Lock[]) {
    this.#all = locks;
    this.#byPath = Map.groupBy(locks, ({ path }) => path);
  }

  /** The locks that hold what is at a path. */
  covering(path: string): Lock[] {
    const above = path === "" ? [] : ["", ...ancestorsOf(path)];
    return [
      ...this.#byPath.get(path) ?? [],
      ...above.flatMap((it) => this.#byPath.get(it)?.filter(({ isDeep }) => isDeep) ?? []),
    ];
  }

  /** The locks that were taken for what is below a path. */
  below(path: string): Lock[] {
    return path === ""
      ? this.#all.filter((lock) => lock.path !== "")
      : this.#all.filter((lock) => isBelow(lock.path, path));
  }

  /**
   * Refuses a change of what is at a path.
   *
   * @throws {Locked} unless the caller has the token of a lock of it, or it has none.
   */
  require(path: string, caller: Asker): void {
    requireOneOf(this.covering(path), caller);
  }

  /** Refuses to add or remove a path, which changes the directory that it is in. See {@link require}. */
  requireMembership(path: string, caller: Asker): void {
    this.require(parentOf(path), caller);
  }
}

function requireOneOf(locks: readonly Lock[], { userId, lockTokens }: Asker): void {
  const [first] = locks;
  if (first === undefined) return;
  if (locks.some(({ token, holder }) => holder === userId && lockTokens?.has(token))) return;
  throw new Locked(first);
}
