import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted, RetryLater } from "../errors.ts";
import type { Lock } from "../locks.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { WriteTransaction } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { Locked, Locks } from "./locked.ts";

/** How long a lock lasts at most, in seconds (C 30). */
export const MAX_LOCK_S = 3600;
/** The most locks in a tree at a time. Every change of the tree looks at them. */
const MAX_LOCKS = 1000;

/** What all requests about locks say. */
interface LockRequest {
  readonly caller: Caller;
  /** "" is the root. */
  readonly path: string;
}

/** A request to take a lock (RFC 4918, 9.10). */
export interface TakeLockRequest extends LockRequest, Pick<Lock, "isDeep" | "isShared" | "owner"> {
  /** In seconds. */
  readonly lastsS: number;
}

/**
 * Takes a lock of a record, or of the whole tree. See docs/design/webdav.md.
 *
 * @throws {AppError} `ErrResourcesNotFound` when nothing is at the path, `ErrResourcesLocked` when another lock
 *   is at, above or below it, `ErrTooManyRequests` when the tree has too many.
 */
export function takeLock(tree: Tree, request: TakeLockRequest): Promise<Lock> {
  const { caller, isDeep, isShared, owner, lastsS } = request;
  const path = sanitizeDirectory(request.path);
  const userId = ownerOf(caller);
  return tree.records.write(async (transaction) => {
    const now = Date.now();
    await requireRecord(transaction, userId, path);
    const found = await transaction.dav.locksOf(userId, now);
    const locks = new Locks(found);
    const others = [...locks.covering(path), ...isDeep ? locks.below(path) : []];
    const hindrance = others.find((lock) => !isShared || !lock.isShared);
    if (hindrance !== undefined) throw new Locked(hindrance);
    if (found.length >= MAX_LOCKS) {
      throw new RetryLater("ErrTooManyRequests", `The tree has ${MAX_LOCKS} locks`, MAX_LOCK_S);
    }
    const token = `urn:uuid:${crypto.randomUUID()}`;
    const expiresAt = now + lastsS * 1000;
    const lock = { token, userId, path, isDeep, isShared, holder: caller.userId, owner, expiresAt };
    await transaction.dav.addLock(lock, now);
    return lock;
  }, { userId: caller.userId });
}

/**
 * Lets a lock whose token the caller has last anew (RFC 4918, 9.10.2).
 *
 * @throws {AppError} `ErrPreconditionFailed` when no lock of the path has the token.
 */
export function extendLock(
  tree: Tree,
  { caller, path, lastsS }: LockRequest & { readonly lastsS: number },
): Promise<Lock> {
  const userId = ownerOf(caller);
  return tree.records.write(async (transaction) => {
    const now = Date.now();
    const locks = new Locks(await transaction.dav.locksOf(userId, now));
    const lock = locks.covering(path).find(({ token, holder }) =>
      holder === caller.userId && caller.lockTokens?.has(token)
    );
    if (lock === undefined) throw new AppError("ErrPreconditionFailed", noLock(path));
    const extended = { ...lock, expiresAt: now + lastsS * 1000 };
    await transaction.dav.extendLock(extended);
    return extended;
  }, { userId: caller.userId });
}

/**
 * Ends a lock (RFC 4918, 9.11). Its holder and the owner of the tree may do so.
 *
 * @throws {AppError} `ErrResourcesConflict` when no lock of the path has the token, `ErrNotPermitted` when the
 *   lock is another user's.
 */
export function endLock(
  tree: Tree,
  { caller, path, token }: LockRequest & { readonly token: string },
): Promise<void> {
  const userId = ownerOf(caller);
  return tree.records.write(async (transaction) => {
    const locks = new Locks(await transaction.dav.locksOf(userId, Date.now()));
    const lock = locks.covering(path).find((lock) => lock.token === token);
    if (lock === undefined) throw new AppError("ErrResourcesConflict", noLock(path));
    if (lock.holder !== caller.userId && userId !== caller.userId) {
      throw new AppError("ErrNotPermitted", "The lock is another user's");
    }
    await transaction.dav.removeLocks(userId, [token]);
  }, { userId: caller.userId });
}

async function requireRecord(
  transaction: WriteTransaction,
  userId: number,
  path: string,
): Promise<void> {
  const found = await transaction.findByPath(
    { userId, everyone: false },
    path === "" ? [] : [path],
  );
  if (path !== "" && !found.has(path)) {
    throw new AppError("ErrResourcesNotFound", `Cannot lock ${quoted(path)}: not found`);
  }
}

function noLock(path: string): string {
  return `No lock of ${quoted(path)} has the token`;
}
