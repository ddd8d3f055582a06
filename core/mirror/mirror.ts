import type { AuditLog } from "../audit.ts";
import type { Caller } from "../caller.ts";
import { AppError, quoted, RetryLater } from "../errors.ts";
import { isNamespace, isRepositoryId, type Repository } from "../hub/repository.ts";
import type { Tree } from "../tree/changes.ts";
import { type Judge, type Upstream, UpstreamAway } from "./ports.ts";
import type { MirroredName, MirrorEntry, MirrorRevision, MirrorStore } from "./store.ts";
import type { MirrorTotals } from "./totals.ts";

/** What the mirror works with (C 28). */
export interface MirrorParts {
  /** Where the other hub is. */
  readonly url: string;
  /** Of the mirror alone: it may change its files. */
  readonly tree: Tree;
  /** The mirror itself, in its own tree. */
  readonly caller: Caller;
  readonly upstream: Upstream;
  readonly store: MirrorStore;
  readonly audit: AuditLog;
  /** Namespaces that the other hub is never asked for, in lower case. */
  readonly own: ReadonlySet<string>;
  /** @default everything may be had */
  readonly judge?: Judge | undefined;
  readonly totals: MirrorTotals;
}

/** A file of a revision. */
export interface MirroredFile {
  readonly revision: MirrorRevision;
  readonly file: MirrorEntry;
}

/** When to ask again for what the other hub has no time for, in seconds. */
const RETRY_AFTER_S = 30;

/** The directory of a revision in the tree of the mirror, as a branch has one. */
export function directoryOf(
  { kind, id, commitId }: Pick<MirrorRevision, "kind" | "id" | "commitId">,
): string {
  return `${kind}/${id}@${commitId}`;
}

/** The path of a file in the tree of the mirror. */
export function pathOf({ revision, file }: MirroredFile): string {
  return `${directoryOf(revision)}/${file.path}`;
}

/** Whether a repository of another hub can have the name: there, some have no namespace. */
function isMirrorable(id: string): boolean {
  return isRepositoryId(id) || isNamespace(id);
}

/**
 * Whether the other hub may be asked for a repository: it is not asked for names that are used inside, or anybody
 * could take them there (C 28). Namespaces differ by more than their letters' case nowhere.
 */
export function isForeign(
  { own }: Pick<MirrorParts, "own">,
  { id }: Pick<Repository, "id">,
): boolean {
  const [namespace = ""] = id.split("/");
  return isMirrorable(id) && !own.has(namespace.toLowerCase());
}

/**
 * Refuses a repository that is not {@link isForeign}, by the name that it is asked for or by that which it has there.
 *
 * @throws {AppError} `ErrHubRepositoryNotFound`
 */
export function requireForeign(
  parts: Pick<MirrorParts, "own">,
  { id }: Pick<MirroredName, "id">,
  realId = id,
): void {
  if (isForeign(parts, { id }) && isForeign(parts, { id: realId })) return;
  throw new AppError("ErrHubRepositoryNotFound", `${quoted(id)} not found`);
}

/** What callers are told of a failure of the other hub. Other errors are returned unchanged. */
export function refusalOf(error: unknown, { id }: Pick<MirroredName, "id">): unknown {
  if (!(error instanceof UpstreamAway)) return error;
  const { message, retryAfterS = RETRY_AFTER_S } = error;
  return new RetryLater(
    "ErrUnavailable",
    `Cannot fetch from ${id}: ${message}`,
    Math.ceil(retryAfterS),
  );
}
