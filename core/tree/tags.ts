import { parseTime } from "../../schemas/units.ts";
import { type Caller, ownerOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { At } from "../history.ts";
import type { Tag } from "../history_changes.ts";
import { sanitizeDirectory } from "../paths.ts";
import type { Tree } from "./changes.ts";
import { withinQuota } from "./quota.ts";
import { historyOf } from "./tree_log.ts";

/** A request to name a file or directory as it is, or was (C 26). */
export interface TagRequest {
  readonly caller: Caller;
  readonly name: string;
  /** Blank is the whole tree. */
  readonly path: string;
  /** @default now */
  readonly at?: At | undefined;
  readonly message?: string | undefined;
}

const MAX_NAME_BYTES = 255;
const MAX_MESSAGE_BYTES = 4096;
const encoder = new TextEncoder();

/**
 * Names a file or directory as it is, or was, for as long as the tag is there. It counts against the quota as a copy
 * would.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the name or path is invalid, `ErrTagsConflict` when the name
 *   is taken, `ErrResourcesNotFound` when nothing is at the path, `ErrVersionsNotFound` when the version is not kept,
 *   `ErrResourcesQuotaExceeded`.
 */
export async function addTag(
  tree: Tree,
  { caller, name, path: given, at, message }: TagRequest,
): Promise<Tag> {
  const problem = problemOf(name, message ?? "");
  if (problem !== undefined) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Cannot add the tag ${quoted(name)}: ${problem}`,
    );
  }
  const path = sanitizeDirectory(given);
  const userId = ownerOf(caller);
  const past = at && await historyOf(tree).at(userId, at);
  const tag = {
    ...{ userId, name, path },
    message: message ?? null,
    createdBy: caller.userId,
    createdAt: Date.now(),
  };
  return await tree.records.write(
    (transaction) =>
      withinQuota(
        tree,
        { caller, verb: "tag", transaction },
        () => transaction.history.addTag(tag, past?.point),
      ),
    { userId: caller.userId },
  );
}

/** What is wrong with the name and message of a tag. */
function problemOf(name: string, message: string): string | undefined {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.@+\/-]*$/u.test(name)) {
    return "expected letters, digits and any of _ . @ + / -, beginning with a letter, a digit or _";
  }
  if (encoder.encode(name).length > MAX_NAME_BYTES) return `it is over ${MAX_NAME_BYTES} bytes`;
  if (/^\d+$/.test(name)) return "a number would name a version";
  if (parseTime(name) !== undefined) return "it would name a time";
  if (encoder.encode(message).length > MAX_MESSAGE_BYTES || message.includes("\0")) {
    return `its message must be at most ${MAX_MESSAGE_BYTES} bytes, without NUL`;
  }
  return undefined;
}

/**
 * The tags of the tree that the request acts in, newest first.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path is invalid.
 */
export function listTags(
  tree: Tree,
  { caller, path, ...page }: {
    readonly caller: Caller;
    /** Only those of this path. @default all */
    readonly path?: string | undefined;
    readonly limit: number;
    readonly before?: number | undefined;
  },
): Promise<Tag[]> {
  const named = path === undefined ? undefined : sanitizeDirectory(path);
  return historyOf(tree).tags({ ...page, userId: ownerOf(caller), path: named });
}

/**
 * Removes a tag. Content that nothing else names goes.
 *
 * @throws {AppError} `ErrTagsNotFound`
 */
export async function removeTag(tree: Tree, caller: Caller, name: string): Promise<Tag> {
  const removed = await historyOf(tree).removeTag(ownerOf(caller), name);
  if (removed === undefined) throw new AppError("ErrTagsNotFound", `Tag ${quoted(name)} not found`);
  tree.sweeper.add(removed.hashes);
  return removed.tag;
}
