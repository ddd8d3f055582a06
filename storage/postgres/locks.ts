/**
 * Keys of advisory locks: 83 × 2^53 and a number below 2^53. User ids are positive, so that the key of a
 * tree is the sum of both. Other programs should not share the database.
 */
const BASE = 83n << 53n;
/** The keys of large changes are this and the number of the change. */
const LARGE_CHANGES = 84n << 53n;

/** The keys of the locks that are not of one tree. */
export const LOCKS = {
  /** Writers of single trees share it. Those that write to all trees hold it alone. */
  allTrees: String(BASE),
  migration: String(BASE - 1n),
  /** Who makes documents of the index of searches holds it. */
  searchIndex: String(BASE - 2n),
} as const;

/**
 * The advisory lock of two numbers that backups share while no object may be deleted:
 * packaging/postgres/hold_objects takes it.
 */
export const HOLD = { classId: 83, objectId: 1 } as const;

/** The key of the lock of a user's tree. */
export function treeLock(userId: number): string {
  return String(BASE + BigInt(userId));
}

/**
 * The advisory lock that a large change holds while it goes on.
 *
 * @param change The SQL of its number.
 */
export function largeChangeLock(change: string): string {
  return `${LARGE_CHANGES} + ${change}`;
}

/** SQL: whether a large change goes on. */
export const IS_CHANGING = `EXISTS (
  SELECT FROM large_changes WHERE NOT pg_try_advisory_xact_lock_shared(${largeChangeLock("change")})
)`;
