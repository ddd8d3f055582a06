import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { PropertyChange } from "../locks.ts";
import { sanitizePath } from "../paths.ts";
import { formatBytes, KIB } from "../../schemas/units.ts";
import type { Tree } from "./changes.ts";
import { Locks } from "./locked.ts";

/** What the properties of a record may take, in characters. */
const MAX_SIZE = 64 * KIB;

/**
 * Changes properties that clients have given to a record, all or none, in order (RFC 4918, 9.2).
 *
 * @throws {AppError} `ErrResourcesNotFound` when nothing is at the path, `ErrResourcesLocked` when a lock is whose
 *   token the caller does not have, `ErrResourcesQuotaExceeded` when they are too many or too long.
 */
export async function changeProperties(
  tree: Tree,
  request: {
    readonly caller: Caller;
    readonly path: string;
    readonly changes: readonly PropertyChange[];
  },
): Promise<void> {
  const { caller, changes } = request;
  const path = sanitizePath(request.path);
  const userId = ownerOf(caller);
  await tree.records.write(async (transaction) => {
    const found = await transaction.findByPath({ userId, everyone: false }, [path]);
    const record = found.get(path);
    if (record === undefined) {
      throw new AppError("ErrResourcesNotFound", `Cannot change ${quoted(path)}: not found`);
    }
    new Locks(await transaction.dav.locksOf(userId, Date.now())).require(path, caller);
    const size = await transaction.dav.changeProperties(record, changes);
    if (size > MAX_SIZE) {
      throw new AppError(
        "ErrResourcesQuotaExceeded",
        `Cannot set properties: those of ${quoted(path)} exceed ${formatBytes(MAX_SIZE)}`,
      );
    }
  }, { userId: caller.userId });
}
